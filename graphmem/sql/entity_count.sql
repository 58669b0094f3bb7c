SELECT count(*) AS rows FROM entity WHERE group_id = :group_id
