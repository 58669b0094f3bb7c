INSERT INTO tx (group_id, tau, kind, note) VALUES (:group_id, :tau, :kind, :note)
