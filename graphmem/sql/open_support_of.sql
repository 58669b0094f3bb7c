SELECT s.* FROM json_each(:version_ids) i
CROSS JOIN support s ON s.group_id = :group_id AND s.version_id = i.value AND s.expired_at = 253402300799999999
ORDER BY s.version_id, s.claim_id
