-- What has no vector waits for one: all there is when vectors begin, later what `verify_lost_vectors` finds.
INSERT INTO unembedded (group_id, target, item_id)
SELECT i.group_id, i.target, i.item_id FROM (
    SELECT group_id, 'fact' AS target, fact_id AS item_id FROM fact
    UNION ALL
    SELECT group_id, 'entity', entity_id FROM entity
    UNION ALL
    SELECT group_id, 'episode', episode_id FROM episode
) i
WHERE NOT EXISTS (SELECT 1 FROM vector v WHERE v.target = i.target AND v.group_id = i.group_id AND v.item_id = i.item_id)
ON CONFLICT (group_id, target, item_id) DO NOTHING
