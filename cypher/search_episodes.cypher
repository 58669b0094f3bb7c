CALL db.index.fulltext.queryNodes('graphmem_episode_text', $input.query, {limit: $input.candidates}) YIELD node AS e, score
WITH e.id AS item_id, e.group_id AS group_id, score,
  e.group_id IN $input.group_ids AND e.learned_at <= $input.known_at
      AND ($input.session_id IS NULL OR e.session_id = $input.session_id)
      AND ($input.source IS NULL OR e.source = $input.source)
      AND ($input.speaker IS NULL OR e.speaker = $input.speaker)
      AND all(pair IN $input.metadata WHERE pair IN e.metadata)
  AS is_visible
RETURN collect({item_id: item_id, group_id: group_id, score: score, is_visible: is_visible}) AS rows
