SELECT version_id, claim_id, created_at, expired_at FROM support
WHERE group_id = :group_id AND version_id IN (
    SELECT DISTINCT version_id FROM support WHERE group_id = :group_id AND version_id > :after ORDER BY version_id LIMIT :limit
)
ORDER BY version_id, claim_id, created_at
