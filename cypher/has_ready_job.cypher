MATCH (j:Job) USING INDEX SEEK j:Job(group_id, state, run_after)
WHERE j.group_id = $input.group_id AND j.state IN ['queued', 'retrying', 'running'] AND j.run_after <= $input.now
RETURN j.group_id AS group_id LIMIT 1
