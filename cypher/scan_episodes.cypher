// Every vector of the groups, exactly: for groups so small that this is quicker than the index. Those inside the scope are looked for
// from the nearest on, equals in the order of their ids, until there are enough.
UNWIND $input.group_ids AS group_id
MATCH (e:Episode) USING INDEX SEEK e:Episode(group_id, id)
WHERE e.group_id = group_id AND e.id >= '' AND (e.vector IS NOT NULL OR e.is_zero)
WITH e, CASE WHEN e.is_zero THEN 0.5 ELSE vector.similarity.cosine(e.vector, $input.vector) END AS rank
WITH collect([e, rank]) AS found
CALL (found) {
  UNWIND found AS candidate
  WITH candidate[0] AS e, candidate[1] AS rank ORDER BY rank DESC, e.id, e.group_id
  WHERE e.group_id IN $input.group_ids AND e.learned_at <= $input.known_at
    AND ($input.session_id IS NULL OR e.session_id = $input.session_id)
    AND ($input.source IS NULL OR e.source = $input.source)
    AND ($input.speaker IS NULL OR e.speaker = $input.speaker)
    AND all(pair IN $input.metadata WHERE pair IN e.metadata)
  WITH e, rank LIMIT $input.limit
  RETURN collect({item_id: e.id, group_id: e.group_id, score: 2 * rank - 1}) AS hits
}
RETURN hits
