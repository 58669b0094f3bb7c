// Every vector of the groups, exactly: for groups so small that this is quicker than the index.
UNWIND $input.group_ids AS group_id
MATCH (n:Entity) USING INDEX SEEK n:Entity(group_id, id)
WHERE n.group_id = group_id AND n.id >= '' AND (n.vector IS NOT NULL OR n.is_zero)
WITH n, CASE WHEN n.is_zero THEN 0.5 ELSE vector.similarity.cosine(n.vector, $input.vector) END AS rank
ORDER BY rank DESC, n.id LIMIT $input.candidates
WITH n.id AS item_id, n.group_id AS group_id, rank, 2 * rank - 1 AS score,
  n.group_id IN $input.group_ids AND n.created_at <= $input.known_at AS is_visible
RETURN collect({item_id: item_id, group_id: group_id, rank: rank, score: score, is_visible: is_visible}) AS rows
