// In transactions of its own, for a group too big for one; may be run again.
MATCH (n:Entity) USING INDEX SEEK n:Entity(group_id, id) WHERE n.group_id = $input.group_id AND n.id >= ''
CALL (n) {
  DETACH DELETE n
} IN TRANSACTIONS OF 1000 ROWS
