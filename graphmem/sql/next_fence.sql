INSERT INTO group_state (group_id, fence) VALUES (:group_id, 1)
ON CONFLICT (group_id) DO UPDATE SET fence = fence + 1
RETURNING fence
