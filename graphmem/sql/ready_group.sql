-- The group whose ready work has waited longest and that nobody works on.
SELECT group_id FROM job INDEXED BY job_ready
WHERE state IN ('queued', 'retrying', 'running') AND run_after <= :now
    AND NOT EXISTS (SELECT 1 FROM job r WHERE r.group_id = job.group_id AND r.state = 'running' AND r.run_after > :now)
ORDER BY run_after, seq
LIMIT 1
