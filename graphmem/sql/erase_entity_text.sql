DELETE FROM entity_text WHERE rowid IN (
    SELECT e.entity_no FROM entity e WHERE e.group_id = :group_id AND e.entity_id IN (SELECT value FROM json_each(:ids))
)
