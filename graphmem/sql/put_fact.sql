INSERT INTO fact (group_id, fact_id, subject, relation, object, text, checksum)
VALUES (:group_id, :fact_id, :subject, :relation, :object, :text, :checksum)
ON CONFLICT (group_id, fact_id) DO NOTHING
RETURNING fact_no
