MATCH (t:Tombstone) WHERE t.group_id = $input.group_id AND t.kind >= '' AND t.target_id >= ''
  AND ($input.target_ids IS NULL OR t.target_id IN $input.target_ids)
RETURN properties(t) AS tombstone ORDER BY t.tau, t.target_id, t.kind
