SELECT v.* FROM fact_version v
WHERE v.group_id = :group_id AND v.fact_id IN (SELECT value FROM json_each(:fact_ids))
ORDER BY v.created_at, v.valid_at, v.version_id
