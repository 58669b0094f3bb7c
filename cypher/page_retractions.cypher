MATCH (n:Retraction) WHERE n.group_id = $input.group_id AND n.id > $input.after
RETURN n.id AS key, properties(n) AS item, COLLECT { MATCH (n)-[:WITHDRAWS]->(c:Claim) RETURN c.id ORDER BY c.id } AS claim_ids
ORDER BY n.group_id, n.id LIMIT $input.limit
