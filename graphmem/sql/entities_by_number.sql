SELECT e.entity_no AS no, e.entity_id AS item_id FROM entity e
WHERE e.entity_no IN (SELECT value FROM json_each(:numbers)) AND e.group_id = :group_id
