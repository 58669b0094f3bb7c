SELECT * FROM episode ORDER BY group_id, seq
