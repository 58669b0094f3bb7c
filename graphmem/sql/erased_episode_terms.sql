SELECT t.terms FROM episode e JOIN episode_text t ON t.rowid = e.seq
WHERE e.group_id = :group_id AND e.episode_id IN (SELECT value FROM json_each(:ids))
