SELECT f.group_id, f.fact_id FROM fact f
WHERE NOT EXISTS (SELECT 1 FROM entity e WHERE e.group_id = f.group_id AND e.entity_id = f.subject)
    OR NOT EXISTS (SELECT 1 FROM entity e WHERE e.group_id = f.group_id AND e.entity_id = f.object)
ORDER BY f.group_id, f.fact_id
