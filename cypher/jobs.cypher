MATCH (j:Job) WHERE j.seq >= 0 AND ($input.states IS NULL OR j.state IN $input.states)
RETURN properties(j) AS job ORDER BY j.seq LIMIT $input.limit
