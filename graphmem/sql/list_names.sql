SELECT * FROM name WHERE group_id IN (SELECT value FROM json_each(:group_ids)) ORDER BY key, group_id, entity_id LIMIT :limit
