DELETE FROM claim WHERE group_id = :group_id AND claim_id IN (SELECT value FROM json_each(:ids))
