// Every vector of the groups, exactly: for groups so small that this is quicker than the index. Those inside the scope are looked for
// from the nearest on, equals in the order of their ids, until there are enough.
UNWIND $input.group_ids AS group_id
MATCH (n:Entity) USING INDEX SEEK n:Entity(group_id, id)
WHERE n.group_id = group_id AND n.id >= '' AND (n.vector IS NOT NULL OR n.is_zero)
WITH n, CASE WHEN n.is_zero THEN 0.5 ELSE vector.similarity.cosine(n.vector, $input.vector) END AS rank
WITH collect([n, rank]) AS found
CALL (found) {
  UNWIND found AS candidate
  WITH candidate[0] AS n, candidate[1] AS rank ORDER BY rank DESC, n.id, n.group_id
  WHERE n.group_id IN $input.group_ids AND n.created_at <= $input.known_at
  WITH n, rank LIMIT $input.limit
  RETURN collect({item_id: n.id, group_id: n.group_id, score: 2 * rank - 1}) AS hits
}
RETURN hits
