SELECT * FROM fact WHERE group_id = :group_id AND fact_id > :after ORDER BY fact_id LIMIT :limit
