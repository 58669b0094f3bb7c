INSERT INTO claim (
    group_id, claim_id, fact_id, episode_id, kind, subject, relation, object, ref, seq,
    start_lo, start_hi, start_unit, end_lo, end_hi, end_unit, inferred, trusted, tau, phrase, quote_from, quote_to, origin,
    told_by, checksum
) VALUES (
    :group_id, :claim_id, :fact_id, :episode_id, :kind, :subject, :relation, :object, :ref, :seq,
    :start_lo, :start_hi, :start_unit, :end_lo, :end_hi, :end_unit, :inferred, :trusted, :tau, :phrase, :quote_from, :quote_to, :origin,
    :told_by, :checksum
)
ON CONFLICT (group_id, claim_id) DO NOTHING
