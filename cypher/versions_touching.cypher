UNWIND $input.group_ids AS group_id
UNWIND $input.touching AS entity_id
CALL (group_id, entity_id) {
  MATCH ()-[v:FACT]->() USING INDEX SEEK v:FACT(group_id, subject, expired_at)
  WHERE v.group_id = group_id AND v.subject = entity_id AND v.expired_at > $input.known_at RETURN v
  UNION
  MATCH ()-[v:FACT]->() USING INDEX SEEK v:FACT(group_id, object, expired_at)
  WHERE v.group_id = group_id AND v.object = entity_id AND v.expired_at > $input.known_at RETURN v
}
WITH DISTINCT v
WHERE v.group_id IN $input.group_ids
  AND ($input.subjects IS NULL OR v.subject IN $input.subjects)
  AND ($input.relations IS NULL OR v.relation IN $input.relations)
  AND ($input.objects IS NULL OR v.object IN $input.objects)
  AND ($input.touching IS NULL OR v.subject IN $input.touching OR v.object IN $input.touching)
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
ORDER BY CASE v.valid_at WHEN 'undated' THEN '' ELSE v.valid_at END, v.relation, v.subject, v.object, v.created_at, v.version_id
LIMIT $input.limit
WITH properties(v) AS version, CASE WHEN $input.is_whole THEN {
  fact: COLLECT {
    MATCH (f:Fact {group_id: v.group_id, fact_id: v.fact_id}) RETURN f {.*, terms: null, vector: null, tokens: null}
  }[0],
  subject: COLLECT {
    MATCH (n:Entity {group_id: v.group_id, id: v.subject}) RETURN n {.*, terms: null, vector: null, tokens: null}
  }[0],
  object: COLLECT {
    MATCH (n:Entity {group_id: v.group_id, id: v.object}) RETURN n {.*, terms: null, vector: null, tokens: null}
  }[0],
  support: COLLECT {
    MATCH (c:Claim)-[s:SUPPORTS]->() USING INDEX SEEK s:SUPPORTS(group_id, version_id, expired_at)
    WHERE s.group_id = v.group_id AND s.version_id = v.version_id
      AND s.expired_at > $input.known_at AND s.created_at <= $input.known_at
    RETURN [c.ref, c.episode_id, c.told_by] ORDER BY c.ref, c.seq, c.id
  }
} END AS told
RETURN collect({version: version, told: told}) AS rows
