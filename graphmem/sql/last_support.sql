SELECT max(version_id) AS last FROM support WHERE group_id = :group_id
