SELECT * FROM fact ORDER BY group_id, fact_id
