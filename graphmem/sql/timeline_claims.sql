SELECT c.* FROM stored_claim c
WHERE c.claim_no IN (
    SELECT f.claim_no FROM json_each(:facts) k
    CROSS JOIN claim f ON f.group_id = :group_id AND f.subject = json_extract(k.value, '$[0]')
        AND f.relation = json_extract(k.value, '$[1]') AND f.object = json_extract(k.value, '$[2]')
    UNION
    SELECT s.claim_no FROM json_each(:subjects) k
    CROSS JOIN claim s ON s.group_id = :group_id AND s.relation = json_extract(k.value, '$[0]')
        AND s.subject = json_extract(k.value, '$[1]')
    UNION
    SELECT o.claim_no FROM json_each(:objects) k
    CROSS JOIN claim o ON o.group_id = :group_id AND o.relation = json_extract(k.value, '$[0]')
        AND o.object = json_extract(k.value, '$[1]')
)
ORDER BY c.claim_id
