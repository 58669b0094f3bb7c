-- Versions that speak of other ends than their fact.
SELECT v.group_id, v.version_id FROM fact_version v
JOIN fact f ON f.group_id = v.group_id AND f.fact_id = v.fact_id
WHERE (v.subject, v.relation, v.object) IS NOT (f.subject, f.relation, f.object)
ORDER BY v.group_id, v.version_id
