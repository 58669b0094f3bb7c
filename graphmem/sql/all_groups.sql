SELECT group_id FROM episode UNION SELECT group_id FROM entity UNION SELECT group_id FROM fact ORDER BY group_id
