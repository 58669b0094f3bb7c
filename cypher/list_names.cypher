UNWIND $input.group_ids AS group_id
MATCH (k:Name) WHERE k.group_id = group_id AND k.key >= ''
MATCH (k)-[r:NAMES]->(n:Entity)
RETURN k.group_id AS group_id, k.key AS key, n.id AS entity_id, r.spelling AS spelling, r.episode_id AS episode_id
ORDER BY key, group_id, entity_id LIMIT $input.limit
