DELETE FROM withdrawal WHERE group_id = :group_id
