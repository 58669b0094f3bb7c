SELECT max(version_id) AS last FROM fact_version WHERE group_id = :group_id
