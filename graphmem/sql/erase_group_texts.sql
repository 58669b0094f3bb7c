DELETE FROM group_texts WHERE mark = :mark AND group_id = :group_id
