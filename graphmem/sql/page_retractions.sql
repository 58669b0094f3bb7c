SELECT r.group_id, r.retraction_id, r.tau, r.reason, w.claim_id
FROM (
    SELECT * FROM retraction WHERE group_id = :group_id AND retraction_id > :after ORDER BY retraction_id LIMIT :limit
) r
LEFT JOIN withdrawal w ON w.group_id = r.group_id AND w.retraction_id = r.retraction_id
ORDER BY r.retraction_id, w.claim_id
