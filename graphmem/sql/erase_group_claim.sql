DELETE FROM claim WHERE group_id = :group_id
