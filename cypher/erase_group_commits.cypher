MATCH (n:Commit) WHERE n.group_id = $input.group_id AND n.tau >= '' DETACH DELETE n
