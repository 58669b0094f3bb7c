DELETE FROM entity WHERE group_id = :group_id
