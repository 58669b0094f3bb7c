DELETE FROM fact WHERE group_id = :group_id
