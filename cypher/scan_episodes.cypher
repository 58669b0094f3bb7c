// Every vector of the groups, exactly: for groups so small that this is quicker than the index.
UNWIND $input.group_ids AS group_id
MATCH (e:Episode) USING INDEX SEEK e:Episode(group_id, id)
WHERE e.group_id = group_id AND e.id >= '' AND (e.vector IS NOT NULL OR e.is_zero)
WITH e, CASE WHEN e.is_zero THEN 0.5 ELSE vector.similarity.cosine(e.vector, $input.vector) END AS rank
ORDER BY rank DESC, e.id LIMIT $input.candidates
WITH e.id AS item_id, e.group_id AS group_id, rank, 2 * rank - 1 AS score,
  e.group_id IN $input.group_ids AND e.learned_at <= $input.known_at
      AND ($input.session_id IS NULL OR e.session_id = $input.session_id)
      AND ($input.source IS NULL OR e.source = $input.source)
      AND ($input.speaker IS NULL OR e.speaker = $input.speaker)
      AND all(pair IN $input.metadata WHERE pair IN e.metadata)
  AS is_visible
RETURN collect({item_id: item_id, group_id: group_id, rank: rank, score: score, is_visible: is_visible}) AS rows
