// The best of the index that are inside the scope, at most `limit`, equals in the order of their ids; and how many candidates there
// were with the least score of them: the caller asks for more where one that was not read could be among the best.
CALL db.index.fulltext.queryNodes('graphmem_episode_text', $input.query, {limit: $input.candidates}) YIELD node AS e, score
WITH collect([e, score]) AS found
CALL (found) {
  UNWIND found AS candidate
  WITH candidate[0] AS e, candidate[1] AS score ORDER BY score DESC, e.id, e.group_id
  WHERE e.group_id IN $input.group_ids AND e.learned_at <= $input.known_at
    AND ($input.session_id IS NULL OR e.session_id = $input.session_id)
    AND ($input.source IS NULL OR e.source = $input.source)
    AND ($input.speaker IS NULL OR e.speaker = $input.speaker)
    AND all(pair IN $input.metadata WHERE pair IN e.metadata)
  WITH e, score LIMIT $input.limit
  RETURN collect({item_id: e.id, group_id: e.group_id, score: score}) AS hits
}
RETURN size(found) AS candidates, found[-1][1] AS least, hits
