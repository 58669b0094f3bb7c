SELECT count(*) AS rows FROM fact WHERE group_id = :group_id
