// The first statement of every commit: takes the group's lock and moves its last transaction time on, if it still is what the
// caller read. The lock node is written once and never again in the transaction: a second write deadlocks with those who wait.
// Each CASE reads the property it sets, which makes the server take the lock before it reads.
MERGE (g:Group {id: $input.group_id}) ON CREATE SET g.tau = $input.never, g.fence = 0
SET g.call = CASE WHEN g.tau = $input.based_on THEN $input.call ELSE g.call END,
    g.tau = CASE WHEN g.tau = $input.based_on THEN $input.tau ELSE g.tau END
WITH g
RETURN
  g.tau AS tau,
  g.call = $input.call AS is_ours,
  EXISTS { MATCH (d:Commit {group_id: $input.group_id, tau: $input.tau}) WHERE d.call = $input.call } AS is_done,
  COLLECT { UNWIND $input.job_ids AS id MATCH (j:Job {group_id: $input.group_id, id: id}) RETURN properties(j) } AS jobs,
  COLLECT {
    UNWIND $input.claim_ids AS id MATCH (c:Claim {group_id: $input.group_id, id: id})
    RETURN c {.*, withdrawn_at: []}
  } AS claims,
  COLLECT { UNWIND $input.fact_ids AS id MATCH (f:Fact {group_id: $input.group_id, fact_id: id}) RETURN id } AS fact_ids,
  COLLECT {
    UNWIND $input.entity_ids AS id MATCH (n:Entity {group_id: $input.group_id, id: id})
    RETURN {
      entity_id: id,
      name: n.name,
      spellings: COLLECT { MATCH (k:Name)-[r:NAMES]->(n) RETURN [k.key, r.spelling] ORDER BY k.key }
    }
  } AS entities
