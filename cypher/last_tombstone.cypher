MATCH (n:Tombstone) WHERE n.group_id = $input.group_id AND n.kind >= '' AND n.target_id >= ''
RETURN n.kind AS last ORDER BY n.group_id DESC, n.kind DESC LIMIT 1
