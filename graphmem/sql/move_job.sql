UPDATE job SET
    state = :state, attempts = :attempts, fence = :fence, run_after = :run_after, owner = :owner, reason = :reason,
    answer = :answer, receipt = :receipt, job_checksum = :job_checksum
WHERE seq = :seq
