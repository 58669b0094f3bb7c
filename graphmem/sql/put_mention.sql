INSERT INTO mention (group_id, entity_id, episode_id) VALUES (:group_id, :entity_id, :episode_id)
ON CONFLICT (group_id, entity_id, episode_id) DO NOTHING
