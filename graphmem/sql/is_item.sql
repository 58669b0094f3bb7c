SELECT CASE :target
    WHEN 'fact' THEN EXISTS (SELECT 1 FROM fact WHERE group_id = :group_id AND fact_id = :item_id)
    WHEN 'entity' THEN EXISTS (SELECT 1 FROM entity WHERE group_id = :group_id AND entity_id = :item_id)
    ELSE EXISTS (SELECT 1 FROM episode WHERE group_id = :group_id AND episode_id = :item_id)
END AS is_there
