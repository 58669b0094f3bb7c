// Everything one commit writes. Each count must equal the number of rows sent, or the caller rolls back.
// SEEK is said for every node: while a label has one node, the planner takes reading its whole index for as cheap as a seek,
// and it keeps that plan while the label grows.
CALL () {
  UNWIND $input.commits AS x CREATE (d:Commit) SET d = x
}
CALL () {
  UNWIND $input.jobs AS x MATCH (j:Job {group_id: $input.group_id, id: x.id}) USING INDEX SEEK j:Job(group_id, id)
  SET j += x.values
  RETURN count(j) AS jobs
}
CALL () {
  UNWIND $input.entities AS x CREATE (n:Entity) SET n = x
}
CALL () {
  UNWIND $input.names AS x
  MATCH (n:Entity {group_id: $input.group_id, id: x.entity_id}) USING INDEX SEEK n:Entity(group_id, id)
  WHERE x.episode_id IS NULL OR EXISTS {
    MATCH (p:Episode {group_id: $input.group_id, id: x.episode_id}) USING INDEX SEEK p:Episode(group_id, id)
  }
  MERGE (k:Name {group_id: $input.group_id, key: x.key})
  MERGE (k)-[r:NAMES]->(n) ON CREATE SET r.spelling = x.spelling, r.episode_id = x.episode_id
  RETURN count(n) AS names
}
CALL () {
  UNWIND $input.entity_terms AS x
  MATCH (n:Entity {group_id: $input.group_id, id: x.id}) USING INDEX SEEK n:Entity(group_id, id)
  SET n.terms = x.terms
}
CALL () {
  UNWIND $input.mentions AS x
  MATCH (p:Episode {group_id: $input.group_id, id: x.episode_id}) USING INDEX SEEK p:Episode(group_id, id)
  MATCH (n:Entity {group_id: $input.group_id, id: x.entity_id}) USING INDEX SEEK n:Entity(group_id, id)
  MERGE (p)-[:MENTIONS]->(n)
  RETURN count(n) AS mentions
}
CALL () {
  UNWIND $input.facts AS x
  MATCH (s:Entity {group_id: $input.group_id, id: x.subject}) USING INDEX SEEK s:Entity(group_id, id)
  MATCH (o:Entity {group_id: $input.group_id, id: x.object}) USING INDEX SEEK o:Entity(group_id, id)
  CREATE (s)<-[:SUBJECT]-(f:Fact)-[:OBJECT]->(o) SET f = x
  RETURN count(f) AS facts
}
CALL () {
  UNWIND $input.claims AS x
  MATCH (f:Fact {group_id: $input.group_id, fact_id: x.fact_id}) USING INDEX SEEK f:Fact(group_id, fact_id)
  WHERE (x.episode_id IS NULL OR EXISTS {
      MATCH (p:Episode {group_id: $input.group_id, id: x.episode_id}) USING INDEX SEEK p:Episode(group_id, id)
    })
    AND (f.subject = x.subject OR EXISTS {
      MATCH (s:Entity {group_id: $input.group_id, id: x.subject}) USING INDEX SEEK s:Entity(group_id, id)
    })
    AND (f.object = x.object OR EXISTS {
      MATCH (o:Entity {group_id: $input.group_id, id: x.object}) USING INDEX SEEK o:Entity(group_id, id)
    })
  CREATE (c:Claim) SET c = x
  CREATE (c)-[:OF]->(f)
  WITH c, x
  CALL (c, x) {
    MATCH (p:Episode {group_id: $input.group_id, id: x.episode_id}) USING INDEX SEEK p:Episode(group_id, id)
    CREATE (p)-[:STATES]->(c)
  }
  RETURN count(c) AS claims
}
CALL () {
  UNWIND $input.retractions AS x CREATE (r:Retraction) SET r = x
}
CALL () {
  UNWIND $input.withdrawals AS x
  MATCH (r:Retraction {group_id: $input.group_id, id: x.retraction_id}) USING INDEX SEEK r:Retraction(group_id, id)
  MATCH (c:Claim {group_id: $input.group_id, id: x.claim_id}) USING INDEX SEEK c:Claim(group_id, id)
  CREATE (r)-[:WITHDRAWS]->(c)
  RETURN count(c) AS withdrawals
}
CALL () {
  UNWIND $input.expire AS x
  MATCH ()-[v:FACT]->() USING INDEX SEEK v:FACT(group_id, version_id)
  WHERE v.group_id = $input.group_id AND v.version_id = x.version_id AND v.expired_at = $input.open
  SET v.expired_at = x.tau
  RETURN count(v) AS expired
}
CALL () {
  UNWIND $input.versions AS x
  MATCH (s:Entity {group_id: $input.group_id, id: x.subject}) USING INDEX SEEK s:Entity(group_id, id)
  MATCH (o:Entity {group_id: $input.group_id, id: x.object}) USING INDEX SEEK o:Entity(group_id, id)
  WHERE EXISTS { MATCH (f:Fact {group_id: $input.group_id, fact_id: x.fact_id}) USING INDEX SEEK f:Fact(group_id, fact_id) }
  CREATE (s)-[v:FACT]->(o) SET v = x
  RETURN count(v) AS versions
}
CALL () {
  UNWIND $input.unsupport AS x
  MATCH (c:Claim)-[s:SUPPORTS]->()
  WHERE s.group_id = $input.group_id AND s.version_id = x.version_id AND s.expired_at = $input.open AND c.id = x.claim_id
  SET s.expired_at = x.tau
  RETURN count(s) AS unsupported
}
CALL () {
  UNWIND $input.support AS x
  WITH x WHERE NOT x.is_of_new
  MATCH (c:Claim)-[s:SUPPORTS]->()
  WHERE s.group_id = $input.group_id AND s.version_id = x.link.version_id AND s.expired_at = $input.open AND c.id = x.claim_id
  RETURN count(s) AS open_already
}
CALL () {
  UNWIND $input.support AS x
  MATCH (c:Claim {group_id: $input.group_id, id: x.claim_id})-[:OF]->(f) USING INDEX SEEK c:Claim(group_id, id)
  WHERE x.is_of_new OR EXISTS {
    MATCH ()-[v:FACT]->() WHERE v.group_id = $input.group_id AND v.version_id = x.link.version_id
  }
  CREATE (c)-[s:SUPPORTS]->(f) SET s = x.link
  RETURN count(s) AS supported
}
RETURN jobs, names, mentions, facts, claims, withdrawals, expired, versions, unsupported, open_already, supported
