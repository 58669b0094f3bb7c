SELECT * FROM stored_claim WHERE group_id = :group_id AND claim_id > :after ORDER BY claim_id LIMIT :limit
