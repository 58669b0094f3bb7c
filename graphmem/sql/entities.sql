SELECT * FROM entity WHERE group_id = :group_id AND entity_id IN (SELECT value FROM json_each(:entity_ids))
