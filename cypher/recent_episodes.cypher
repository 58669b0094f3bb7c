UNWIND $input.group_ids AS group_id
CALL (group_id) {
  MATCH (e:Episode) USING INDEX SEEK e:Episode(group_id, said_at, seq)
  WHERE e.group_id = group_id AND e.said_at < $input.before AND e.seq >= 0 AND e.learned_at <= $input.known_at
    AND ($input.session_id IS NULL OR e.session_id = $input.session_id)
    AND ($input.source IS NULL OR e.source = $input.source)
    AND ($input.speaker IS NULL OR e.speaker = $input.speaker)
    AND all(pair IN $input.metadata WHERE pair IN e.metadata)
  RETURN e ORDER BY e.group_id DESC, e.said_at DESC, e.seq DESC LIMIT $input.limit
}
RETURN e {.*, terms: null, vector: null, tokens: null} AS episode ORDER BY e.said_at DESC, e.seq DESC LIMIT $input.limit
