SELECT * FROM fact_version ORDER BY group_id, version_id
