SELECT group_id, entity_id, episode_id FROM mention ORDER BY group_id, entity_id, episode_id
