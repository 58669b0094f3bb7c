SELECT f.*, t.terms FROM fact f LEFT JOIN fact_text t ON t.rowid = f.fact_no ORDER BY f.fact_no
