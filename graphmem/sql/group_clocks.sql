SELECT group_id, max(tau) AS tau, max(fence) AS fence
FROM (
    SELECT group_id, tau, fence FROM group_state
    UNION ALL SELECT DISTINCT group_id, -62135596800000000, 0 FROM episode
    UNION ALL SELECT DISTINCT group_id, -62135596800000000, 0 FROM tombstone
)
GROUP BY group_id
ORDER BY group_id
