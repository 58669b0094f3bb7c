// The best of the index that are inside the scope, at most `limit`, equals in the order of their ids; and how many candidates there
// were with the least score of them: the caller asks for more where one that was not read could be among the best.
CALL db.index.fulltext.queryNodes('graphmem_fact_text', $input.query, {limit: $input.candidates}) YIELD node AS f, score
WITH collect([f, score]) AS found
CALL (found) {
  UNWIND found AS candidate
  WITH candidate[0] AS f, candidate[1] AS score ORDER BY score DESC, f.fact_id, f.group_id
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
  WITH f, score LIMIT $input.limit
  RETURN collect({item_id: f.fact_id, group_id: f.group_id, score: score}) AS hits
}
RETURN size(found) AS candidates, found[-1][1] AS least, hits
