UNWIND $input.job_ids AS id
MATCH (j:Job) WHERE j.id = id
  AND ($input.group_ids IS NULL OR j.group_id IN $input.group_ids)
  AND ($input.states IS NULL OR j.state IN $input.states)
RETURN properties(j) AS job ORDER BY j.seq LIMIT $input.limit
