DELETE FROM fact_text WHERE rowid IN (
    SELECT f.fact_no FROM fact f WHERE f.group_id = :group_id AND f.fact_id IN (SELECT value FROM json_each(:ids))
)
