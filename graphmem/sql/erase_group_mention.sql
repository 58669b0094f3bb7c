DELETE FROM mention WHERE group_id = :group_id
