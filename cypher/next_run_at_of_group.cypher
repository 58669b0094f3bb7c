UNWIND ['queued', 'retrying', 'running'] AS state
CALL (state) {
  MATCH (j:Job) USING INDEX SEEK j:Job(group_id, state, run_after)
  WHERE j.group_id = $input.group_id AND j.state = state AND j.run_after >= ''
  RETURN j.run_after AS run_after ORDER BY j.group_id, j.state, j.run_after LIMIT 1
}
RETURN min(run_after) AS run_after
