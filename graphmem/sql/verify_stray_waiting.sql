-- What waits for a vector and is not there: it would be waited for without end.
SELECT u.group_id, u.target, u.item_id FROM unembedded u
WHERE NOT CASE u.target
    WHEN 'fact' THEN EXISTS (SELECT 1 FROM fact WHERE group_id = u.group_id AND fact_id = u.item_id)
    WHEN 'entity' THEN EXISTS (SELECT 1 FROM entity WHERE group_id = u.group_id AND entity_id = u.item_id)
    ELSE EXISTS (SELECT 1 FROM episode WHERE group_id = u.group_id AND episode_id = u.item_id)
END
ORDER BY u.group_id, u.target, u.item_id
