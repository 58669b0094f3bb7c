SELECT * FROM name
WHERE group_id IN (SELECT value FROM json_each(:group_ids)) AND key IN (SELECT value FROM json_each(:keys))
ORDER BY key, group_id, entity_id
