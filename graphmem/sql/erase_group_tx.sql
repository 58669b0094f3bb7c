DELETE FROM tx WHERE group_id = :group_id
