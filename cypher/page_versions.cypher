MATCH ()-[v:FACT]->() USING INDEX SEEK v:FACT(group_id, version_id)
WHERE v.group_id = $input.group_id AND v.version_id > $input.after
RETURN v.version_id AS key, properties(v) AS item ORDER BY v.group_id, v.version_id LIMIT $input.limit
