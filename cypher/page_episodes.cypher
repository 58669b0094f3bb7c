MATCH (n:Job) USING INDEX SEEK n:Job(group_id, seq) WHERE n.group_id = $input.group_id AND n.seq > $input.after
MATCH (n)-[:FOR]->(p:Episode)
RETURN n.seq AS key, properties(n) AS job, p {.*, vector: null, tokens: null} AS item ORDER BY n.group_id, n.seq LIMIT $input.limit
