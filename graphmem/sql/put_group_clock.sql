INSERT INTO group_state (group_id, tau, fence) VALUES (:group_id, :tau, :fence)
ON CONFLICT (group_id) DO UPDATE SET tau = excluded.tau, fence = excluded.fence
