// With their names and mentions.
UNWIND $input.entity_ids AS id
MATCH (n:Entity {group_id: $input.group_id, id: id})
WITH n, EXISTS { (n)-[:FACT]-() } OR EXISTS { (n)<-[:SUBJECT|OBJECT]-() } AS is_needed
CALL (n, is_needed) {
  WITH n WHERE NOT is_needed
  OPTIONAL MATCH (k:Name)-[:NAMES]->(n)
  WITH n, collect(k) AS names
  DETACH DELETE n
  WITH names
  UNWIND names AS k
  WITH k WHERE NOT EXISTS { (k)-[:NAMES]->() }
  DELETE k
}
RETURN sum(CASE WHEN is_needed THEN 1 ELSE 0 END) AS needed
