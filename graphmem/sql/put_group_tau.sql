INSERT INTO group_state (group_id, tau) VALUES (:group_id, :tau)
ON CONFLICT (group_id) DO UPDATE SET tau = excluded.tau
