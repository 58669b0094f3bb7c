INSERT INTO support (group_id, version_id, claim_id, created_at, expired_at)
VALUES (:group_id, :version_id, :claim_id, :created_at, :expired_at)
