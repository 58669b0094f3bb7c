SELECT state, count(*) AS jobs FROM job
WHERE :group_ids IS NULL OR group_id IN (SELECT value FROM json_each(:group_ids))
GROUP BY state
