// The nearest inside the groups, from the index: the first inside the scope, with their places among those found. The caller asks for
// more where they are too few, or too deep: what comes late in the index is not surely the nearest.
CYPHER 25
MATCH (n:Entity)
  SEARCH n IN (
    VECTOR INDEX graphmem_entity_vector FOR $input.vector WHERE n.group_id IN $input.group_ids LIMIT $input.candidates
  ) SCORE AS rank
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
