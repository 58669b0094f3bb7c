-- What `verify_stray_vectors` finds.
DELETE FROM vector WHERE NOT CASE target
    WHEN 'fact' THEN EXISTS (SELECT 1 FROM fact f WHERE f.group_id = vector.group_id AND f.fact_id = vector.item_id)
    WHEN 'entity' THEN EXISTS (SELECT 1 FROM entity e WHERE e.group_id = vector.group_id AND e.entity_id = vector.item_id)
    ELSE EXISTS (SELECT 1 FROM episode e WHERE e.group_id = vector.group_id AND e.episode_id = vector.item_id)
END
