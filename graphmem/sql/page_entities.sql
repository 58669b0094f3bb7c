SELECT * FROM entity WHERE group_id = :group_id AND entity_id > :after ORDER BY entity_id LIMIT :limit
