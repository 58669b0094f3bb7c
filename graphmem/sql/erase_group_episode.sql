DELETE FROM episode WHERE group_id = :group_id
