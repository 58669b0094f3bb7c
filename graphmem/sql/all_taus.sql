SELECT group_id, tau FROM group_state WHERE tau > -62135596800000000 ORDER BY group_id
