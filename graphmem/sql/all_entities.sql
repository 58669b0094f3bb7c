SELECT * FROM entity ORDER BY group_id, entity_id
