MATCH (n:Retraction) WHERE n.group_id = $input.group_id AND n.id >= ''
RETURN n.id AS last ORDER BY n.group_id DESC, n.id DESC LIMIT 1
