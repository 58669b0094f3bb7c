// Versions believed now that rest on no claim.
MATCH ()-[v:FACT]->() USING INDEX SEEK v:FACT(group_id, expired_at)
WHERE v.group_id = $input.group_id AND v.expired_at = $input.open AND NOT EXISTS {
  MATCH (c:Claim)-[s:SUPPORTS]->() WHERE s.group_id = v.group_id AND s.version_id = v.version_id AND s.expired_at = $input.open
}
RETURN v.version_id AS id ORDER BY id
