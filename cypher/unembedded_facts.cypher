MATCH (n:Fact) USING INDEX SEEK n:Fact(waits, group_id, fact_id)
WHERE n.waits = true AND n.group_id >= '' AND n.fact_id >= ''
RETURN n.group_id AS group_id, n.fact_id AS id ORDER BY n.waits, n.group_id, n.fact_id LIMIT $input.limit
