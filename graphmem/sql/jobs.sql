SELECT * FROM job
WHERE (:group_ids IS NULL OR group_id IN (SELECT value FROM json_each(:group_ids)))
    AND (:states IS NULL OR state IN (SELECT value FROM json_each(:states)))
ORDER BY seq
LIMIT :limit
