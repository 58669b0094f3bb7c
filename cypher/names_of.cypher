UNWIND $input.entity_ids AS id
MATCH (n:Entity {group_id: $input.group_id, id: id})<-[r:NAMES]-(k:Name) USING INDEX SEEK n:Entity(group_id, id)
RETURN k.group_id AS group_id, k.key AS key, n.id AS entity_id, r.spelling AS spelling, r.episode_id AS episode_id
ORDER BY entity_id, key
