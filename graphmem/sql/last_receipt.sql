SELECT max(tau) AS last FROM tx WHERE group_id = :group_id
