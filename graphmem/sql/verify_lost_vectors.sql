-- What has no vector and waits for none, though vectors are kept: no search by meaning would ever find it.
SELECT i.group_id, i.target, i.item_id FROM embedding_model
CROSS JOIN (
    SELECT group_id, 'fact' AS target, fact_id AS item_id FROM fact
    UNION ALL
    SELECT group_id, 'entity', entity_id FROM entity
    UNION ALL
    SELECT group_id, 'episode', episode_id FROM episode
) i
WHERE NOT EXISTS (SELECT 1 FROM vector v WHERE v.target = i.target AND v.group_id = i.group_id AND v.item_id = i.item_id)
  AND NOT EXISTS (SELECT 1 FROM unembedded u WHERE u.group_id = i.group_id AND u.target = i.target AND u.item_id = i.item_id)
ORDER BY i.group_id, i.target, i.item_id
