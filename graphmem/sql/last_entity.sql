SELECT max(entity_id) AS last FROM entity WHERE group_id = :group_id
