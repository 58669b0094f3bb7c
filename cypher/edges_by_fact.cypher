// Versions as a walk sees them, with those of the episodes behind each that the scope sees.
UNWIND $input.keys AS key
WITH key[0] AS group_id, key[1] AS fact_id
MATCH ()-[v:FACT]->() USING INDEX SEEK v:FACT(group_id, fact_id, expired_at)
WHERE v.group_id = group_id AND v.fact_id = fact_id AND v.expired_at > $input.known_at
  AND v.created_at <= $input.known_at
  AND CASE WHEN $input.possible THEN v.start_lo ELSE v.valid_at END < $input.until
  AND CASE WHEN $input.possible THEN v.end_hi ELSE v.invalid_at END > $input.start
  AND ($input.is_open OR EXISTS {
    MATCH (c:Claim)-[s:SUPPORTS]->() WHERE s.group_id = v.group_id AND s.version_id = v.version_id
      AND s.expired_at > $input.known_at AND s.created_at <= $input.known_at
    MATCH (e:Episode)-[:STATES]->(c) WHERE e.group_id = v.group_id
      AND ($input.session_id IS NULL OR e.session_id = $input.session_id)
      AND ($input.source IS NULL OR e.source = $input.source)
      AND ($input.speaker IS NULL OR e.speaker = $input.speaker OR c.told_by = $input.speaker)
      AND all(pair IN $input.metadata WHERE pair IN e.metadata)
  })
WITH v
ORDER BY v.group_id, CASE v.valid_at WHEN 'undated' THEN '' ELSE v.valid_at END, v.relation, v.subject, v.object, v.created_at, v.version_id
WITH
  v.group_id AS group_id, v.fact_id AS fact_id, v.subject AS subject, v.object AS object,
  COLLECT { MATCH (f:Fact {group_id: v.group_id, fact_id: v.fact_id}) RETURN f.text }[0] AS text,
  COLLECT {
    MATCH (c:Claim)-[s:SUPPORTS]->() USING INDEX SEEK s:SUPPORTS(group_id, version_id, expired_at)
    WHERE s.group_id = v.group_id AND s.version_id = v.version_id
      AND s.expired_at > $input.known_at AND s.created_at <= $input.known_at
    MATCH (e:Episode)-[:STATES]->(c) WHERE e.group_id = v.group_id AND e.learned_at <= $input.known_at
      AND ($input.session_id IS NULL OR e.session_id = $input.session_id)
      AND ($input.source IS NULL OR e.source = $input.source)
      AND ($input.speaker IS NULL OR e.speaker = $input.speaker)
      AND all(pair IN $input.metadata WHERE pair IN e.metadata)
    RETURN DISTINCT e.id ORDER BY e.id
  } AS episode_ids
RETURN collect({group_id: group_id, fact_id: fact_id, subject: subject, object: object, text: text, episode_ids: episode_ids}) AS rows
