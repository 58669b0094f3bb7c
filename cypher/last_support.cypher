MATCH ()-[s:SUPPORTS]->() USING INDEX SEEK s:SUPPORTS(group_id, version_id, expired_at)
WHERE s.group_id = $input.group_id AND s.version_id >= '' AND s.expired_at >= ''
RETURN s.version_id AS last ORDER BY s.group_id DESC, s.version_id DESC LIMIT 1
