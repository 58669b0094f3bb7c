SELECT t.terms FROM fact f JOIN fact_text t ON t.rowid = f.fact_no
WHERE f.group_id = :group_id AND f.fact_id IN (SELECT value FROM json_each(:ids))
