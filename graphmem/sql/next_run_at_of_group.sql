SELECT min(run_after) AS run_after FROM job
WHERE group_id = :group_id AND state IN ('queued', 'retrying', 'running')
