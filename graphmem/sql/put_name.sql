INSERT INTO name (group_id, key, entity_id, spelling, episode_id, checksum) VALUES (:group_id, :key, :entity_id, :spelling, :episode_id, :checksum)
ON CONFLICT (group_id, key, entity_id) DO NOTHING
