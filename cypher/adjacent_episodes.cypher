UNWIND $input.ids AS id
MATCH (e:Episode {group_id: $input.group_id, id: id})
RETURN
  id,
  COLLECT {
    MATCH (b:Episode) USING INDEX SEEK b:Episode(group_id, said_at, seq)
    WHERE b.group_id = $input.group_id AND b.said_at <= e.said_at AND b.seq >= 0
      AND (b.said_at < e.said_at OR b.seq < e.seq)
      AND (b.session_id = e.session_id OR (b.session_id IS NULL AND e.session_id IS NULL))
      AND b.learned_at <= $input.known_at
      AND ($input.session_id IS NULL OR b.session_id = $input.session_id)
      AND ($input.source IS NULL OR b.source = $input.source)
      AND ($input.speaker IS NULL OR b.speaker = $input.speaker)
      AND all(pair IN $input.metadata WHERE pair IN b.metadata)
    RETURN b.id ORDER BY b.group_id DESC, b.said_at DESC, b.seq DESC LIMIT 1
  }[0] AS before,
  COLLECT {
    MATCH (a:Episode) USING INDEX SEEK a:Episode(group_id, said_at, seq)
    WHERE a.group_id = $input.group_id AND a.said_at >= e.said_at AND a.seq >= 0
      AND (a.said_at > e.said_at OR a.seq > e.seq)
      AND (a.session_id = e.session_id OR (a.session_id IS NULL AND e.session_id IS NULL))
      AND a.learned_at <= $input.known_at
      AND ($input.session_id IS NULL OR a.session_id = $input.session_id)
      AND ($input.source IS NULL OR a.source = $input.source)
      AND ($input.speaker IS NULL OR a.speaker = $input.speaker)
      AND all(pair IN $input.metadata WHERE pair IN a.metadata)
    RETURN a.id ORDER BY a.group_id, a.said_at, a.seq LIMIT 1
  }[0] AS after
