SELECT e.entity_id AS item_id, e.group_id, entity_text.rank AS rank
FROM entity_text
CROSS JOIN entity e ON e.entity_no = entity_text.rowid
WHERE entity_text MATCH :query AND e.group_id IN (SELECT value FROM json_each(:group_ids)) AND e.created_at <= :known_at
ORDER BY entity_text.rank
