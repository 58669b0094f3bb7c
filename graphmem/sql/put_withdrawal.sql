INSERT INTO withdrawal (group_id, claim_id, retraction_id, tau) VALUES (:group_id, :claim_id, :retraction_id, :tau)
