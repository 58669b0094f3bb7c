// Before 2026.02 the index knows no groups: the nearest of all, of which those in the groups count.
CALL db.index.vector.queryNodes('graphmem_fact_vector', $input.candidates, $input.vector) YIELD node AS f, score AS rank
WITH f, rank ORDER BY rank DESC
WITH collect(f) AS found
CALL (found) {
  UNWIND range(0, size(found) - 1) AS place
  WITH place, found[place] AS f
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
  WITH place, f LIMIT $input.limit
  RETURN collect({
    item_id: f.fact_id, group_id: f.group_id, place: place, score: 2 * vector.similarity.cosine(f.vector, $input.vector) - 1
  }) AS hits
}
RETURN hits, size(found) AS candidates
