-- Withdrawals that are not of the time of their retraction.
SELECT w.group_id, w.claim_id FROM withdrawal w
LEFT JOIN retraction r ON r.group_id = w.group_id AND r.retraction_id = w.retraction_id
WHERE r.tau IS NOT w.tau
ORDER BY w.group_id, w.claim_id
