DELETE FROM name WHERE group_id = :group_id AND key = :key AND entity_id = :entity_id
