SELECT e.seq AS no, e.episode_id AS item_id FROM episode e
WHERE e.seq IN (SELECT value FROM json_each(:numbers)) AND e.group_id = :group_id
