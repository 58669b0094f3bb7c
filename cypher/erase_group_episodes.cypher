MATCH (n:Episode) WHERE n.group_id = $input.group_id AND n.id >= '' DETACH DELETE n
