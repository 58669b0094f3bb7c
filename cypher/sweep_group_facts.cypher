// In transactions of its own, for a group too big for one; may be run again.
MATCH (n:Fact) USING INDEX SEEK n:Fact(group_id, fact_id) WHERE n.group_id = $input.group_id AND n.fact_id >= ''
CALL (n) {
  DETACH DELETE n
} IN TRANSACTIONS OF 1000 ROWS
