SELECT t.rowid AS no, t.terms FROM fact_text t WHERE t.rowid IN (SELECT value FROM json_each(:numbers))
