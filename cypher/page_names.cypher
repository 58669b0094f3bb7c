MATCH (n:Name) WHERE n.group_id = $input.group_id AND n.key > $input.after
RETURN n.key AS key, COLLECT {
  MATCH (n)-[r:NAMES]->(e:Entity)
  RETURN {group_id: n.group_id, key: n.key, entity_id: e.id, spelling: r.spelling, episode_id: r.episode_id} ORDER BY e.id
} AS items
ORDER BY n.group_id, n.key LIMIT $input.limit
