-- Search rows that describe nothing.
SELECT 'fact' AS kind, t.rowid AS row_no FROM fact_text t WHERE NOT EXISTS (SELECT 1 FROM fact f WHERE f.fact_no = t.rowid)
UNION ALL
SELECT 'entity', t.rowid FROM entity_text t WHERE NOT EXISTS (SELECT 1 FROM entity e WHERE e.entity_no = t.rowid)
UNION ALL
SELECT 'episode', t.rowid FROM episode_text t WHERE NOT EXISTS (SELECT 1 FROM episode e WHERE e.seq = t.rowid)
