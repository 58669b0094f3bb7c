SELECT count(*) AS items FROM unembedded WHERE group_id IN (SELECT value FROM json_each(:group_ids))
