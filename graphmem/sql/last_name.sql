SELECT max(key) AS last FROM name WHERE group_id = :group_id
