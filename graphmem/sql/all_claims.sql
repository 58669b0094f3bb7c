SELECT * FROM stored_claim ORDER BY group_id, claim_id
