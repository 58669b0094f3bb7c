SELECT * FROM tombstone
WHERE group_id = :group_id AND (:target_ids IS NULL OR target_id IN (SELECT value FROM json_each(:target_ids)))
ORDER BY tau, target_id, kind
