UNWIND $input.entity_ids AS id
MATCH (n:Entity {group_id: $input.group_id, id: id})<-[:MENTIONS]-(p:Episode) USING INDEX SEEK n:Entity(group_id, id)
RETURN p.id AS episode_id, n.id AS entity_id ORDER BY episode_id, entity_id
