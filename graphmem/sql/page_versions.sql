SELECT * FROM fact_version WHERE group_id = :group_id AND version_id > :after ORDER BY version_id LIMIT :limit
