DELETE FROM support WHERE group_id = :group_id
