UNWIND ['queued', 'retrying', 'running'] AS state
CALL (state) {
  MATCH (j:Job) WHERE j.state = state AND j.run_after >= '' AND j.seq >= 0
  RETURN j.run_after AS run_after ORDER BY j.state, j.run_after, j.seq LIMIT 1
}
RETURN min(run_after) AS run_after
