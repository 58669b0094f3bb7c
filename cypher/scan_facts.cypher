// Every vector of the groups, exactly: for groups so small that this is quicker than the index. Those inside the scope are looked for
// from the nearest on, equals in the order of their ids, until there are enough.
UNWIND $input.group_ids AS group_id
MATCH (f:Fact) USING INDEX SEEK f:Fact(group_id, fact_id)
WHERE f.group_id = group_id AND f.fact_id >= '' AND (f.vector IS NOT NULL OR f.is_zero)
WITH f, CASE WHEN f.is_zero THEN 0.5 ELSE vector.similarity.cosine(f.vector, $input.vector) END AS rank
WITH collect([f, rank]) AS found
CALL (found) {
  UNWIND found AS candidate
  WITH candidate[0] AS f, candidate[1] AS rank ORDER BY rank DESC, f.fact_id, f.group_id
  WHERE f.group_id IN $input.group_ids AND EXISTS {
    MATCH ()-[v:FACT]->() USING INDEX SEEK v:FACT(group_id, fact_id, expired_at)
    WHERE v.group_id = f.group_id AND v.fact_id = f.fact_id AND v.expired_at > $input.known_at
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
  }
  WITH f, rank LIMIT $input.limit
  RETURN collect({item_id: f.fact_id, group_id: f.group_id, score: 2 * rank - 1}) AS hits
}
RETURN hits
