SELECT 'fact' AS target, f.group_id, t.terms FROM fact f JOIN fact_text t ON t.rowid = f.fact_no
UNION ALL
SELECT 'entity', e.group_id, t.terms FROM entity e JOIN entity_text t ON t.rowid = e.entity_no
UNION ALL
SELECT 'episode', e.group_id, t.terms FROM episode e JOIN episode_text t ON t.rowid = e.seq
