// No OR in what leads to a neighbour: the planner would read both ways to it whole, and sort.
UNWIND $input.keys AS key
WITH key[0] AS group_id, key[1] AS id
MATCH (e:Episode {group_id: group_id, id: id})
CALL (e) {
  OPTIONAL MATCH (b:Episode) USING INDEX SEEK b:Episode(group_id, said_at, seq)
  WHERE b.group_id = e.group_id AND b.said_at <= e.said_at AND b.seq >= 0
    AND CASE WHEN b.said_at = e.said_at THEN b.seq < e.seq ELSE true END
    AND coalesce(b.session_id, '\u0000') = coalesce(e.session_id, '\u0000')
    AND b.learned_at <= $input.known_at
    AND ($input.session_id IS NULL OR b.session_id = $input.session_id)
    AND ($input.source IS NULL OR b.source = $input.source)
    AND ($input.speaker IS NULL OR b.speaker = $input.speaker)
    AND all(pair IN $input.metadata WHERE pair IN b.metadata)
  RETURN b.id AS before ORDER BY b.group_id DESC, b.said_at DESC, b.seq DESC LIMIT 1
}
CALL (e) {
  OPTIONAL MATCH (a:Episode) USING INDEX SEEK a:Episode(group_id, said_at, seq)
  WHERE a.group_id = e.group_id AND a.said_at >= e.said_at AND a.seq >= 0
    AND CASE WHEN a.said_at = e.said_at THEN a.seq > e.seq ELSE true END
    AND coalesce(a.session_id, '\u0000') = coalesce(e.session_id, '\u0000')
    AND a.learned_at <= $input.known_at
    AND ($input.session_id IS NULL OR a.session_id = $input.session_id)
    AND ($input.source IS NULL OR a.source = $input.source)
    AND ($input.speaker IS NULL OR a.speaker = $input.speaker)
    AND all(pair IN $input.metadata WHERE pair IN a.metadata)
  RETURN a.id AS after ORDER BY a.group_id, a.said_at, a.seq LIMIT 1
}
RETURN collect({episode: e {.*, terms: null, vector: null, tokens: null}, before: before, after: after}) AS rows
