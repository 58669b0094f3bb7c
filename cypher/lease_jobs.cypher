// Nothing where another worker holds the group. The first write takes the group's lock, so all below it is read after it.
MERGE (g:Group {id: $input.group_id}) ON CREATE SET g.tau = $input.never
SET g.fence = coalesce(g.fence, 0) + 1
WITH g
MATCH (j:Job) USING INDEX SEEK j:Job(group_id, state, run_after)
WHERE j.group_id = $input.group_id AND j.state IN ['queued', 'retrying', 'running'] AND j.run_after <= $input.now
  AND NOT EXISTS { MATCH (r:Job) USING INDEX SEEK r:Job(group_id, state, run_after)
    WHERE r.group_id = $input.group_id AND r.state = 'running' AND r.run_after > $input.now }
WITH g, j ORDER BY j.seq LIMIT $input.limit
SET j.state = 'running', j.attempts = j.attempts + 1, j.fence = g.fence, j.owner = $input.owner, j.run_after = $input.until, j.call = $input.call
RETURN properties(j) AS job ORDER BY job.seq
