SELECT group_id, tau, kind, note FROM tx ORDER BY group_id, tau
