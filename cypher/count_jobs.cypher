MATCH (j:Job) USING INDEX SEEK j:Job(state, run_after, seq)
WHERE j.state IN $input.states AND j.run_after >= '' AND j.seq >= 0 RETURN j.state AS state, count(*) AS jobs
