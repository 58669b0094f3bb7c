-- How entities are called.
SELECT e.entity_no, e.entity_id, e.name, n.spelling
FROM json_each(:entity_ids) i
CROSS JOIN entity e ON e.group_id = :group_id AND e.entity_id = i.value
LEFT JOIN name n ON n.group_id = e.group_id AND n.entity_id = e.entity_id
ORDER BY e.entity_no, n.key
