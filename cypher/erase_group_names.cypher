MATCH (n:Name) WHERE n.group_id = $input.group_id AND n.key >= '' DETACH DELETE n
