-- Ready jobs of one group that nobody works on, in order of acceptance.
SELECT * FROM job INDEXED BY job_waiting
WHERE group_id = :group_id AND state IN ('queued', 'retrying', 'running') AND run_after <= :now
    AND NOT EXISTS (SELECT 1 FROM job r WHERE r.group_id = :group_id AND r.state = 'running' AND r.run_after > :now)
ORDER BY seq
LIMIT :limit
