SELECT max(seq) AS last FROM episode WHERE group_id = :group_id
