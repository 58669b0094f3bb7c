MATCH (g:Group {id: $input.group_id}) SET g.fence = g.fence + 0
WITH g
MATCH (j:Job) USING INDEX SEEK j:Job(group_id, state, run_after)
WHERE j.group_id = $input.group_id AND j.state = 'running' AND j.run_after >= '' AND j.fence = $input.fence
SET j.run_after = $input.until
RETURN count(j) AS extended
