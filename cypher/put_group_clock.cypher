MERGE (g:Group {id: $input.group_id})
SET g.tau = $input.tau, g.fence = $input.fence
