DELETE FROM name WHERE group_id = :group_id
