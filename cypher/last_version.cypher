MATCH ()-[v:FACT]->() USING INDEX SEEK v:FACT(group_id, version_id)
WHERE v.group_id = $input.group_id AND v.version_id >= ''
RETURN v.version_id AS last ORDER BY v.group_id DESC, v.version_id DESC LIMIT 1
