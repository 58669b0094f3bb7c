SELECT max(claim_id) AS last FROM claim WHERE group_id = :group_id
