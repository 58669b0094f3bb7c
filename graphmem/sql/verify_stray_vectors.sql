-- Vectors of what is not there, and those that no model made.
SELECT v.group_id, v.target, v.item_id FROM vector v
WHERE NOT EXISTS (SELECT 1 FROM embedding_model) OR NOT CASE v.target
    WHEN 'fact' THEN EXISTS (SELECT 1 FROM fact WHERE group_id = v.group_id AND fact_id = v.item_id)
    WHEN 'entity' THEN EXISTS (SELECT 1 FROM entity WHERE group_id = v.group_id AND entity_id = v.item_id)
    ELSE EXISTS (SELECT 1 FROM episode WHERE group_id = v.group_id AND episode_id = v.item_id)
END
ORDER BY v.group_id, v.target, v.item_id
