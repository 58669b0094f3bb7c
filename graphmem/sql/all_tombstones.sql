SELECT * FROM tombstone ORDER BY group_id, kind, target_id
