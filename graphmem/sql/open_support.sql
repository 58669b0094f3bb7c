-- Nothing is written where the link is open already.
INSERT INTO support (group_id, version_id, claim_id, created_at, expired_at)
SELECT :group_id, :version_id, :claim_id, :tau, 253402300799999999
WHERE NOT EXISTS (
    SELECT 1 FROM support s
    WHERE s.group_id = :group_id AND s.version_id = :version_id AND s.claim_id = :claim_id AND s.expired_at = 253402300799999999
)
