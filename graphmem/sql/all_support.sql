SELECT * FROM support ORDER BY group_id, version_id, claim_id, created_at
