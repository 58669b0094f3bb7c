DELETE FROM support WHERE group_id = :group_id AND version_id IN (
    SELECT v.version_id FROM fact_version v
    WHERE v.group_id = :group_id AND v.fact_id IN (SELECT value FROM json_each(:ids))
)
