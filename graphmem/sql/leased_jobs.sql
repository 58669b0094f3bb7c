SELECT * FROM job WHERE group_id = :group_id AND state = 'running' AND fence = :fence
