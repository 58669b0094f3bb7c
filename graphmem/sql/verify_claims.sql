-- Claims that speak of other ends than their fact.
SELECT c.group_id, c.claim_id FROM claim c
JOIN fact f ON f.group_id = c.group_id AND f.fact_id = c.fact_id
WHERE (c.subject, c.relation, c.object) IS NOT (f.subject, f.relation, f.object)
ORDER BY c.group_id, c.claim_id
