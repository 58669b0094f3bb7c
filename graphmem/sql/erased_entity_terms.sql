SELECT t.terms FROM entity e JOIN entity_text t ON t.rowid = e.entity_no
WHERE e.group_id = :group_id AND e.entity_id IN (SELECT value FROM json_each(:ids))
