SELECT episode_id, entity_id FROM mention
WHERE group_id = :group_id AND entity_id IN (SELECT value FROM json_each(:entity_ids))
ORDER BY episode_id, entity_id
