MATCH (n:Fact) WHERE n.group_id = $input.group_id AND n.fact_id > $input.after
RETURN n.fact_id AS key, n {.*, vector: null, tokens: null} AS item ORDER BY n.group_id, n.fact_id LIMIT $input.limit
