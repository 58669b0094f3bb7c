SELECT max(entity_id) AS last FROM mention WHERE group_id = :group_id
