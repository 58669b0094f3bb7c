DELETE FROM retraction WHERE group_id = :group_id
