// The nearest inside the groups, from the index; the caller asks for more where too few are inside the scope.
CYPHER 25
MATCH (n:Entity)
  SEARCH n IN (
    VECTOR INDEX graphmem_entity_vector FOR $input.vector WHERE n.group_id IN $input.group_ids LIMIT $input.candidates
  ) SCORE AS rank
WITH n.id AS item_id, n.group_id AS group_id, rank, 2 * vector.similarity.cosine(n.vector, $input.vector) - 1 AS score,
  n.group_id IN $input.group_ids AND n.created_at <= $input.known_at AS is_visible
RETURN collect({item_id: item_id, group_id: group_id, rank: rank, score: score, is_visible: is_visible}) AS rows
