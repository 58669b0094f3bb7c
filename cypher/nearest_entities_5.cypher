// Before 2026.02 the index knows no groups: the nearest of all, of which those in the groups count.
CALL db.index.vector.queryNodes('graphmem_entity_vector', $input.candidates, $input.vector) YIELD node AS n, score AS rank
WITH n.id AS item_id, n.group_id AS group_id, rank, 2 * vector.similarity.cosine(n.vector, $input.vector) - 1 AS score,
  n.group_id IN $input.group_ids AND n.created_at <= $input.known_at AS is_visible
RETURN collect({item_id: item_id, group_id: group_id, rank: rank, score: score, is_visible: is_visible}) AS rows
