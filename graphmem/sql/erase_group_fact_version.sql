DELETE FROM fact_version WHERE group_id = :group_id
