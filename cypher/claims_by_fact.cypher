UNWIND $input.fact_ids AS id
MATCH (f:Fact {group_id: $input.group_id, fact_id: id})<-[:OF]-(c:Claim) USING INDEX SEEK f:Fact(group_id, fact_id)
WHERE c.group_id = $input.group_id
  AND ($input.claim_ids IS NULL OR c.id IN $input.claim_ids)
  AND ($input.episode_ids IS NULL OR c.episode_id IN $input.episode_ids)
  AND ($input.fact_ids IS NULL OR c.fact_id IN $input.fact_ids)
  AND ($input.entity_ids IS NULL OR c.subject IN $input.entity_ids OR c.object IN $input.entity_ids)
  AND ($input.relation IS NULL OR c.relation = $input.relation)
RETURN c {.*, withdrawn_at: [(c)<-[:WITHDRAWS]-(r:Retraction) | r.tau]} AS claim ORDER BY c.ref, c.seq, c.id
