MATCH (n:Entity) WHERE n.group_id = $input.group_id AND n.id >= ''
  AND EXISTS { (n)<-[:MENTIONS]-() }
RETURN n.id AS last ORDER BY n.group_id DESC, n.id DESC LIMIT 1
