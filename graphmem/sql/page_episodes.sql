-- The plus keeps to the index of the group: the numbers of all groups run through one another.
SELECT e.*, j.state, j.attempts, j.fence, j.run_after, j.owner, j.reason, j.answer, j.receipt, j.accepted_at, j.job_id, j.job_checksum
FROM episode e
JOIN job j ON j.seq = e.seq
WHERE e.group_id = :group_id AND +e.seq > :after
ORDER BY +e.seq
LIMIT :limit
