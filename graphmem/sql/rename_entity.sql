UPDATE entity SET name = :name, checksum = :checksum WHERE group_id = :group_id AND entity_id = :entity_id
