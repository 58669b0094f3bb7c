MATCH ()-[v:FACT]->() USING INDEX SEEK v:FACT(group_id, version_id)
WHERE v.group_id = $input.group_id AND v.version_id > $input.after
RETURN v.version_id AS key, COLLECT {
  MATCH (c:Claim)-[s:SUPPORTS]->() WHERE s.group_id = $input.group_id AND s.version_id = v.version_id AND s.expired_at >= ''
  RETURN {claim_id: c.id, created_at: s.created_at, expired_at: s.expired_at} ORDER BY c.id, s.created_at
} AS items
ORDER BY v.group_id, v.version_id LIMIT $input.limit
