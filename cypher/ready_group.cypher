// The group whose ready work has waited longest and that nobody works on; one state after the other, each in the order of its index.
OPTIONAL MATCH (r:Job) WHERE r.state = 'running' AND r.run_after > $input.now AND r.seq >= 0
WITH collect(DISTINCT r.group_id) AS held
UNWIND ['queued', 'retrying', 'running'] AS state
CALL (held, state) {
  MATCH (j:Job) WHERE j.state = state AND j.run_after <= $input.now AND j.seq >= 0 AND NOT j.group_id IN held
  RETURN j ORDER BY j.state, j.run_after, j.seq LIMIT 1
}
RETURN j.group_id AS group_id ORDER BY j.run_after, j.seq LIMIT 1
