UNWIND $input.fact_ids AS fact_id
MATCH ()-[v:FACT]->() USING INDEX SEEK v:FACT(group_id, fact_id, expired_at)
WHERE v.group_id = $input.group_id AND v.fact_id = fact_id AND v.expired_at >= ''
RETURN properties(v) AS version
ORDER BY v.created_at, CASE v.valid_at WHEN 'undated' THEN '' ELSE v.valid_at END, v.version_id
