INSERT INTO job (
    seq, group_id, job_id, state, attempts, fence, run_after, owner, reason, answer, receipt, accepted_at, job_checksum
) VALUES (
    :seq, :group_id, :job_id, :state, :attempts, :fence, :run_after, :owner, :reason, :answer, :receipt, :accepted_at, :job_checksum
)
