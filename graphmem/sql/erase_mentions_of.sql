DELETE FROM mention WHERE group_id = :group_id AND entity_id IN (SELECT value FROM json_each(:ids))
