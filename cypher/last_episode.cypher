MATCH (n:Job) USING INDEX SEEK n:Job(group_id, seq) WHERE n.group_id = $input.group_id AND n.seq >= 0
RETURN n.seq AS last ORDER BY n.group_id DESC, n.seq DESC LIMIT 1
