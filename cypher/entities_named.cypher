UNWIND $input.group_ids AS group_id
UNWIND $input.keys AS key
MATCH (k:Name {group_id: group_id, key: key})-[r:NAMES]->(n:Entity) USING INDEX SEEK k:Name(group_id, key)
RETURN k.group_id AS group_id, k.key AS key, n.id AS entity_id, r.spelling AS spelling, r.episode_id AS episode_id
ORDER BY key, group_id, entity_id
