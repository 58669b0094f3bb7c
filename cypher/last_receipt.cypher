MATCH (n:Commit) WHERE n.group_id = $input.group_id AND n.tau >= ''
RETURN n.tau AS last ORDER BY n.group_id DESC, n.tau DESC LIMIT 1
