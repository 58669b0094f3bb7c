UNWIND $input.fact_ids AS fact_id
MATCH (f:Fact {group_id: $input.group_id, fact_id: fact_id})
WITH f, EXISTS { (f)<-[:OF]-() } AS is_needed
CALL (f, is_needed) {
  WITH f WHERE NOT is_needed
  DETACH DELETE f
}
RETURN sum(CASE WHEN is_needed THEN 1 ELSE 0 END) AS needed
