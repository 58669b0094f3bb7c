MATCH (n:Entity) WHERE n.group_id = $input.group_id AND n.id > $input.after
RETURN n.id AS key, n {.*, vector: null, tokens: null} AS item ORDER BY n.group_id, n.id LIMIT $input.limit
