SELECT count(*) AS rows FROM episode WHERE group_id = :group_id
