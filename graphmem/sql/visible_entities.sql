SELECT e.entity_id AS item_id FROM entity e
WHERE e.group_id = :group_id AND e.entity_id IN (SELECT value FROM json_each(:item_ids)) AND e.created_at <= :known_at
