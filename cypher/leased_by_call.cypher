// What an earlier attempt of the same call leased, when its answer was lost.
MATCH (j:Job) USING INDEX SEEK j:Job(group_id, state, run_after)
WHERE j.group_id = $input.group_id AND j.state = 'running' AND j.run_after = $input.until AND j.call = $input.call
RETURN properties(j) AS job ORDER BY j.seq
