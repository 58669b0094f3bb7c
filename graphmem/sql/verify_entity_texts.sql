SELECT e.entity_no, e.group_id, e.entity_id, e.name, n.spelling, t.terms
FROM entity e
LEFT JOIN entity_text t ON t.rowid = e.entity_no
LEFT JOIN name n ON n.group_id = e.group_id AND n.entity_id = e.entity_id
ORDER BY e.entity_no, n.key
