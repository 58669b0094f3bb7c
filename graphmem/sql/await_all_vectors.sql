INSERT INTO unembedded (group_id, target, item_id)
SELECT group_id, 'fact', fact_id FROM fact
UNION ALL
SELECT group_id, 'entity', entity_id FROM entity
UNION ALL
SELECT group_id, 'episode', episode_id FROM episode
