// The best of the index that are inside the scope, at most `limit`, equals in the order of their ids; and how many candidates there
// were with the least score of them: the caller asks for more where one that was not read could be among the best.
CALL db.index.fulltext.queryNodes('graphmem_entity_text', $input.query, {limit: $input.candidates}) YIELD node AS n, score
WITH collect([n, score]) AS found
CALL (found) {
  UNWIND found AS candidate
  WITH candidate[0] AS n, candidate[1] AS score ORDER BY score DESC, n.id, n.group_id
  WHERE n.group_id IN $input.group_ids AND n.created_at <= $input.known_at
  WITH n, score LIMIT $input.limit
  RETURN collect({item_id: n.id, group_id: n.group_id, score: score}) AS hits
}
RETURN size(found) AS candidates, found[-1][1] AS least, hits
