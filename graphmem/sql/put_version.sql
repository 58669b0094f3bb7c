INSERT INTO fact_version (
    group_id, version_id, fact_id, subject, relation, object, valid_at, invalid_at,
    start_lo, start_hi, start_unit, end_lo, end_hi, end_unit, start_stated, end_stated, trusted, created_at, expired_at, checksum
) VALUES (
    :group_id, :version_id, :fact_id, :subject, :relation, :object, :valid_at, :invalid_at,
    :start_lo, :start_hi, :start_unit, :end_lo, :end_hi, :end_unit, :start_stated, :end_stated, :trusted, :created_at, :expired_at, :checksum
)
