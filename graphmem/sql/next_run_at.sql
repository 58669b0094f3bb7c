SELECT min(run_after) AS run_after FROM job WHERE state IN ('queued', 'retrying', 'running')
