UNWIND $input.group_ids AS group_id
CALL (group_id) {
  MATCH (j:Job) USING INDEX SEEK j:Job(group_id, seq)
  WHERE j.group_id = group_id AND j.seq >= 0 AND ($input.states IS NULL OR j.state IN $input.states)
  RETURN j ORDER BY j.group_id, j.seq LIMIT $input.limit
}
RETURN properties(j) AS job ORDER BY j.seq LIMIT $input.limit
