// In transactions of its own, for a group too big for one; may be run again.
MATCH (n:Name) USING INDEX SEEK n:Name(group_id, key) WHERE n.group_id = $input.group_id AND n.key >= ''
CALL (n) {
  DETACH DELETE n
} IN TRANSACTIONS OF 1000 ROWS
