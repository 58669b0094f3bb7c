INSERT INTO retraction (group_id, retraction_id, tau, reason) VALUES (:group_id, :retraction_id, :tau, :reason)
