UNWIND $input.group_ids AS group_id
CALL (group_id) {
  MATCH (n:Episode) USING INDEX SEEK n:Episode(waits, group_id, id)
  WHERE n.waits = true AND n.group_id = group_id AND n.id >= ''
  RETURN n ORDER BY n.waits, n.group_id, n.id LIMIT $input.limit
}
RETURN n.group_id AS group_id, n.id AS id ORDER BY group_id, id LIMIT $input.limit
