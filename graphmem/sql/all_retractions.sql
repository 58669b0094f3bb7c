SELECT group_id, retraction_id, tau, reason FROM retraction ORDER BY group_id, retraction_id
