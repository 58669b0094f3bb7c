MATCH (n:Commit) WHERE n.group_id = $input.group_id AND n.tau > $input.after
RETURN n.tau AS key, properties(n) AS item ORDER BY n.group_id, n.tau LIMIT $input.limit
