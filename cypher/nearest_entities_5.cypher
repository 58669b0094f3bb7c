// Before 2026.02 the index knows no groups: the nearest of all, of which those in the groups count.
CALL db.index.vector.queryNodes('graphmem_entity_vector', $input.candidates, $input.vector) YIELD node AS n, score AS rank
WITH n, rank ORDER BY rank DESC
WITH collect(n) AS found
CALL (found) {
  UNWIND range(0, size(found) - 1) AS place
  WITH place, found[place] AS n
  WHERE n.group_id IN $input.group_ids AND n.created_at <= $input.known_at
  WITH place, n LIMIT $input.limit
  RETURN collect({
    item_id: n.id, group_id: n.group_id, place: place, score: 2 * vector.similarity.cosine(n.vector, $input.vector) - 1
  }) AS hits
}
RETURN hits, size(found) AS candidates
