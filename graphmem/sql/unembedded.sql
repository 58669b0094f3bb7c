SELECT group_id, target, item_id FROM unembedded
WHERE :group_ids IS NULL OR group_id IN (SELECT value FROM json_each(:group_ids))
ORDER BY group_id, target, item_id
LIMIT :limit
