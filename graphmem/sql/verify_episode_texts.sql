SELECT e.*, t.terms FROM episode e LEFT JOIN episode_text t ON t.rowid = e.seq ORDER BY e.seq
