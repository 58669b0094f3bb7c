UPDATE support SET expired_at = :tau
WHERE group_id = :group_id AND version_id = :version_id AND claim_id = :claim_id AND expired_at = 253402300799999999
