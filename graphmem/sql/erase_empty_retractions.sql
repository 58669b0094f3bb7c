DELETE FROM retraction WHERE group_id = :group_id AND NOT EXISTS (
    SELECT 1 FROM withdrawal w WHERE w.group_id = retraction.group_id AND w.retraction_id = retraction.retraction_id
)
