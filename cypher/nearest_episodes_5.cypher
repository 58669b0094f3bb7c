// Before 2026.02 the index knows no groups: the nearest of all, of which those in the groups count.
CALL db.index.vector.queryNodes('graphmem_episode_vector', $input.candidates, $input.vector) YIELD node AS e, score AS rank
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
