UNWIND $input.names AS x
MATCH (k:Name {group_id: $input.group_id, key: x.key})-[r:NAMES]->(n:Entity {group_id: $input.group_id, id: x.entity_id})
DELETE r
WITH DISTINCT k WHERE NOT EXISTS { (k)-[:NAMES]->() }
DELETE k
