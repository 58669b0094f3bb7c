SELECT v.*, CASE WHEN v.created_at > :after THEN v.created_at ELSE v.expired_at END AS changed_at
FROM fact_version v
WHERE v.version_no IN (
    SELECT c.version_no FROM fact_version c
    WHERE c.group_id = :group_id AND c.created_at > :after AND c.created_at <= :until
    UNION
    SELECT x.version_no FROM fact_version x
    WHERE x.group_id = :group_id AND x.expired_at > :after AND x.expired_at <= :until AND x.expired_at < 253402300799999999
)
ORDER BY changed_at, v.version_id
