-- Two partners of one end of a symmetric relation at one time, where there can be one only.
SELECT a.group_id, a.version_id, b.version_id AS other_id
FROM fact_version a
CROSS JOIN fact_version b ON b.group_id = a.group_id AND b.subject = a.object AND b.relation = a.relation AND b.fact_id <> a.fact_id
    AND b.expired_at = 253402300799999999 AND b.valid_at < a.invalid_at AND b.invalid_at > a.valid_at
WHERE a.expired_at = 253402300799999999 AND a.valid_at IS NOT NULL AND b.version_id <> a.version_id AND a.relation IN (SELECT value FROM json_each(:relations))
ORDER BY a.group_id, a.version_id, b.version_id
