-- What supports versions, as far as it dates and sources them.
SELECT s.version_id, c.ref, c.episode_id, c.told_by
FROM json_each(:version_ids) i
CROSS JOIN support s ON s.group_id = :group_id AND s.version_id = i.value AND s.created_at <= :known_at AND s.expired_at > :known_at
CROSS JOIN claim c ON c.group_id = s.group_id AND c.claim_id = s.claim_id
ORDER BY s.version_id, c.ref, c.seq, c.claim_id
