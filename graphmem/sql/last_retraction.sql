SELECT max(retraction_id) AS last FROM retraction WHERE group_id = :group_id
