// Before 2026.02 the index knows no groups: the nearest of all, of which those in the groups count.
CALL db.index.vector.queryNodes('graphmem_episode_vector', $input.candidates, $input.vector) YIELD node AS e, score AS rank
WITH e.id AS item_id, e.group_id AS group_id, rank, 2 * vector.similarity.cosine(e.vector, $input.vector) - 1 AS score,
  e.group_id IN $input.group_ids AND e.learned_at <= $input.known_at
      AND ($input.session_id IS NULL OR e.session_id = $input.session_id)
      AND ($input.source IS NULL OR e.source = $input.source)
      AND ($input.speaker IS NULL OR e.speaker = $input.speaker)
      AND all(pair IN $input.metadata WHERE pair IN e.metadata)
  AS is_visible
RETURN collect({item_id: item_id, group_id: group_id, rank: rank, score: score, is_visible: is_visible}) AS rows
