SELECT entity_id, episode_id FROM mention
WHERE group_id = :group_id AND entity_id IN (
    SELECT DISTINCT entity_id FROM mention WHERE group_id = :group_id AND entity_id > :after ORDER BY entity_id LIMIT :limit
)
ORDER BY entity_id, episode_id
