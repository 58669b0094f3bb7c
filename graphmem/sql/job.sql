SELECT * FROM job WHERE group_id = :group_id AND job_id = :job_id
