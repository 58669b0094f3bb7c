-- Versions believed now that rest on nothing.
SELECT v.group_id, v.version_id FROM fact_version v
WHERE v.expired_at = 253402300799999999 AND NOT EXISTS (
    SELECT 1 FROM support s
    WHERE s.group_id = v.group_id AND s.version_id = v.version_id AND s.expired_at = 253402300799999999
)
ORDER BY v.group_id, v.version_id
