SELECT max(kind) AS last FROM tombstone WHERE group_id = :group_id
