SELECT group_id, retraction_id, claim_id FROM withdrawal ORDER BY group_id, retraction_id, claim_id
