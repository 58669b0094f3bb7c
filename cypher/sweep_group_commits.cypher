// In transactions of its own, for a group too big for one; may be run again.
MATCH (n:Commit) USING INDEX SEEK n:Commit(group_id, tau) WHERE n.group_id = $input.group_id AND n.tau >= ''
CALL (n) {
  DETACH DELETE n
} IN TRANSACTIONS OF 1000 ROWS
