DELETE FROM fact WHERE group_id = :group_id AND fact_id IN (SELECT value FROM json_each(:ids))
