DELETE FROM job WHERE group_id = :group_id
