SELECT max(fact_id) AS last FROM fact WHERE group_id = :group_id
