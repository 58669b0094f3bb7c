SELECT * FROM name ORDER BY group_id, key, entity_id
