MATCH (n:Fact) WHERE n.group_id = $input.group_id AND n.fact_id >= ''
RETURN n.fact_id AS last ORDER BY n.group_id DESC, n.fact_id DESC LIMIT 1
