SELECT * FROM job ORDER BY group_id, seq
