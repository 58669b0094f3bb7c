UNWIND $input.version_ids AS version_id
MATCH (c:Claim)-[s:SUPPORTS]->() WHERE s.group_id = $input.group_id AND s.version_id = version_id
  AND s.expired_at > $input.known_at AND s.created_at <= $input.known_at
RETURN version_id, c {.*, withdrawn_at: [(c)<-[:WITHDRAWS]-(r:Retraction) | r.tau]} AS claim
ORDER BY version_id, c.ref, c.seq, c.id
