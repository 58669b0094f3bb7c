SELECT c.* FROM stored_claim c
WHERE c.claim_no IN (
    SELECT s.claim_no FROM claim s WHERE s.group_id = :group_id AND s.subject IN (SELECT value FROM json_each(:entity_ids))
    UNION
    SELECT o.claim_no FROM claim o WHERE o.group_id = :group_id AND o.object IN (SELECT value FROM json_each(:entity_ids))
)
    AND (:claim_ids IS NULL OR c.claim_id IN (SELECT value FROM json_each(:claim_ids)))
    AND (:episode_ids IS NULL OR c.episode_id IN (SELECT value FROM json_each(:episode_ids)))
    AND (:fact_ids IS NULL OR c.fact_id IN (SELECT value FROM json_each(:fact_ids)))
    AND (:entity_ids IS NULL OR c.subject IN (SELECT value FROM json_each(:entity_ids))
        OR c.object IN (SELECT value FROM json_each(:entity_ids)))
    AND (:relation IS NULL OR c.relation = :relation)
ORDER BY c.ref, c.seq, c.claim_id
