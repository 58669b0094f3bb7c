-- What is not there waits for no vector.
DELETE FROM unembedded WHERE NOT CASE target
    WHEN 'fact' THEN EXISTS (SELECT 1 FROM fact f WHERE f.group_id = unembedded.group_id AND f.fact_id = unembedded.item_id)
    WHEN 'entity' THEN EXISTS (SELECT 1 FROM entity e WHERE e.group_id = unembedded.group_id AND e.entity_id = unembedded.item_id)
    ELSE EXISTS (SELECT 1 FROM episode e WHERE e.group_id = unembedded.group_id AND e.episode_id = unembedded.item_id)
END
