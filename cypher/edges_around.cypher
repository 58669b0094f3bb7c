// Two steps of a walk: each group by itself, the second only where the first came to less than enough facts.
UNWIND $input.begin AS begin
CALL (begin) {
  WITH begin[0] AS group_id, begin[1] AS ids
  UNWIND ids AS id
  CALL (group_id, id) {
    MATCH ()-[v:FACT]->() USING INDEX SEEK v:FACT(group_id, subject, expired_at)
    WHERE v.group_id = group_id AND v.subject = id AND v.expired_at > $input.known_at RETURN v
    UNION
    MATCH ()-[v:FACT]->() USING INDEX SEEK v:FACT(group_id, object, expired_at)
    WHERE v.group_id = group_id AND v.object = id AND v.expired_at > $input.known_at RETURN v
  }
  WITH DISTINCT v WHERE
    v.created_at <= $input.known_at
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
  RETURN collect(v) AS first
}
WITH collect([begin[0], begin[1], first]) AS walks
WITH walks, COUNT { UNWIND walks AS walk UNWIND walk[2] AS v RETURN DISTINCT v.group_id, v.fact_id } AS met
UNWIND walks AS walk
CALL (walk, met) {
  WITH walk, met WHERE met < $input.enough
  UNWIND walk[2] AS v
  UNWIND [v.subject, v.object] AS id
  WITH DISTINCT walk[0] AS group_id, walk[1] AS begun, id
  WITH group_id, id WHERE NOT id IN begun
  CALL (group_id, id) {
    MATCH ()-[v:FACT]->() USING INDEX SEEK v:FACT(group_id, subject, expired_at)
    WHERE v.group_id = group_id AND v.subject = id AND v.expired_at > $input.known_at RETURN v
    UNION
    MATCH ()-[v:FACT]->() USING INDEX SEEK v:FACT(group_id, object, expired_at)
    WHERE v.group_id = group_id AND v.object = id AND v.expired_at > $input.known_at RETURN v
  }
  WITH DISTINCT v WHERE
    v.created_at <= $input.known_at
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
  RETURN collect(v) AS second
}
UNWIND [[1, walk[2]], [2, second]] AS step
UNWIND step[1] AS v
WITH
  step[0] AS step, v.group_id AS group_id, v.fact_id AS fact_id, v.subject AS subject, v.object AS object,
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
RETURN collect({step: step, group_id: group_id, fact_id: fact_id, subject: subject, object: object, text: text, episode_ids: episode_ids}) AS rows
