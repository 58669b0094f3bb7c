MATCH (n:Name) WHERE n.group_id = $input.group_id AND n.key >= ''
RETURN n.key AS last ORDER BY n.group_id DESC, n.key DESC LIMIT 1
