MATCH (n:Entity) WHERE n.group_id = $input.group_id AND n.id > $input.after
RETURN n.id AS key, COLLECT { MATCH (n)<-[:MENTIONS]-(p:Episode) RETURN p.id ORDER BY p.id } AS items
ORDER BY n.group_id, n.id LIMIT $input.limit
