// With their jobs and mentions.
UNWIND $input.episode_ids AS id
MATCH (p:Episode {group_id: $input.group_id, id: id})
WITH p, EXISTS { (p)-[:STATES]->() } AS is_needed
CALL (p, is_needed) {
  WITH p WHERE NOT is_needed
  OPTIONAL MATCH (j:Job)-[:FOR]->(p)
  DETACH DELETE j, p
}
RETURN sum(CASE WHEN is_needed THEN 1 ELSE 0 END) AS needed
