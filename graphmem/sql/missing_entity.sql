SELECT i.value AS entity_id FROM json_each(:entity_ids) i
WHERE NOT EXISTS (SELECT 1 FROM entity e WHERE e.group_id = :group_id AND e.entity_id = i.value)
LIMIT 1
