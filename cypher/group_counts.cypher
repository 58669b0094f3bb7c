UNWIND $input.group_ids AS id
OPTIONAL MATCH (g:Group {id: id})
RETURN
  id AS group_id,
  coalesce(g.tau, $input.never) AS tau,
  COUNT { MATCH (n:Episode) WHERE n.group_id = id AND n.id >= '' } AS episodes,
  COUNT { MATCH (n:Entity) WHERE n.group_id = id AND n.id >= '' } AS entities,
  COUNT { MATCH (n:Fact) WHERE n.group_id = id AND n.fact_id >= '' } AS facts,
  COUNT { MATCH ()-[v:FACT]->() WHERE v.group_id = id AND v.version_id >= '' } AS versions,
  COUNT { MATCH (n:Claim) WHERE n.group_id = id AND n.id >= '' } AS claims
ORDER BY id
