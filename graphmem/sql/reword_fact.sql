UPDATE fact SET text = :text, checksum = :checksum WHERE group_id = :group_id AND fact_id = :fact_id AND text IS NOT :text
RETURNING fact_no
