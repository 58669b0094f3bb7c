SELECT tau FROM group_state WHERE group_id = :group_id
