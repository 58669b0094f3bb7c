MATCH (n:Fact) WHERE n.group_id = $input.group_id AND n.fact_id >= '' DETACH DELETE n
