// The group's time is read first: whatever is committed while the rest is read, the commit based on it is refused.
OPTIONAL MATCH (g:Group {id: $input.group_id})
WITH coalesce(g.tau, $input.never) AS tau
CALL () {
  CALL () {
    UNWIND $input.facts AS x
    MATCH (c:Claim) USING INDEX SEEK c:Claim(group_id, subject, relation, object)
    WHERE c.group_id = $input.group_id AND c.subject = x[0] AND c.relation = x[1] AND c.object = x[2]
    RETURN c
    UNION
    UNWIND $input.subjects AS x
    MATCH (c:Claim) USING INDEX SEEK c:Claim(group_id, subject, relation, object)
    WHERE c.group_id = $input.group_id AND c.subject = x[1] AND c.relation = x[0] AND c.object >= ''
    RETURN c
    UNION
    UNWIND $input.objects AS x
    MATCH (c:Claim) USING INDEX SEEK c:Claim(group_id, object, relation)
    WHERE c.group_id = $input.group_id AND c.object = x[1] AND c.relation = x[0]
    RETURN c
  }
  RETURN
    collect(c {.*, withdrawn_at: [(c)<-[:WITHDRAWS]-(r:Retraction) | r.tau]}) AS claims,
    collect(DISTINCT c.fact_id) AS fact_ids
}
CALL (fact_ids) {
  UNWIND fact_ids AS fact_id
  MATCH ()-[v:FACT]->() USING INDEX SEEK v:FACT(group_id, fact_id, expired_at)
  WHERE v.group_id = $input.group_id AND v.fact_id = fact_id AND v.expired_at = $input.open
  RETURN
    collect(properties(v)) AS versions,
    collect([v.version_id, COLLECT {
      MATCH (c:Claim)-[s:SUPPORTS]->() WHERE s.group_id = $input.group_id AND s.version_id = v.version_id AND s.expired_at = $input.open
      RETURN {claim_id: c.id, created_at: s.created_at}
    }]) AS support
}
RETURN tau, claims, versions, support
