UNWIND $input.group_ids AS group_id
MATCH (j:Job) USING INDEX SEEK j:Job(group_id, state, run_after)
WHERE j.group_id = group_id AND j.state IN $input.states AND j.run_after >= '' RETURN j.state AS state, count(*) AS jobs
