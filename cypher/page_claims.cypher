MATCH (n:Claim) WHERE n.group_id = $input.group_id AND n.id > $input.after
RETURN n.id AS key, n {.*, withdrawn_at: [(n)<-[:WITHDRAWS]-(r:Retraction) | r.tau]} AS item
ORDER BY n.group_id, n.id LIMIT $input.limit
