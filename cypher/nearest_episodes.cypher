// The nearest inside the groups, from the index: the first inside the scope, with their places among those found. The caller asks for
// more where they are too few, or too deep: what comes late in the index is not surely the nearest.
CYPHER 25
MATCH (e:Episode)
  SEARCH e IN (
    VECTOR INDEX graphmem_episode_vector FOR $input.vector WHERE e.group_id IN $input.group_ids LIMIT $input.candidates
  ) SCORE AS rank
WITH e, rank ORDER BY rank DESC
WITH collect(e) AS found
CALL (found) {
  UNWIND range(0, size(found) - 1) AS place
  WITH place, found[place] AS e
  WHERE e.group_id IN $input.group_ids AND e.learned_at <= $input.known_at
    AND ($input.session_id IS NULL OR e.session_id = $input.session_id)
    AND ($input.source IS NULL OR e.source = $input.source)
    AND ($input.speaker IS NULL OR e.speaker = $input.speaker)
    AND all(pair IN $input.metadata WHERE pair IN e.metadata)
  WITH place, e LIMIT $input.limit
  RETURN collect({
    item_id: e.id, group_id: e.group_id, place: place, score: 2 * vector.similarity.cosine(e.vector, $input.vector) - 1
  }) AS hits
}
RETURN hits, size(found) AS candidates
