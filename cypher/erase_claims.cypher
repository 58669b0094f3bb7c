// A retraction goes with its last claim. Claims that a version still rests on stay and are counted.
UNWIND $input.claim_ids AS id
MATCH (c:Claim {group_id: $input.group_id, id: id})
WITH c, EXISTS { (c)-[:SUPPORTS]->() } AS is_needed
CALL (c, is_needed) {
  WITH c WHERE NOT is_needed
  OPTIONAL MATCH (r:Retraction)-[:WITHDRAWS]->(c)
  WITH c, collect(r) AS retractions
  DETACH DELETE c
  WITH retractions
  UNWIND retractions AS r
  WITH r WHERE NOT EXISTS { (r)-[:WITHDRAWS]->() }
  DELETE r
}
RETURN sum(CASE WHEN is_needed THEN 1 ELSE 0 END) AS needed
