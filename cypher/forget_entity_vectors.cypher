// In transactions of its own; may be run again.
MATCH (n:Entity) WHERE n.waits IS NULL
CALL (n) {
  REMOVE n.vector, n.tokens, n.is_zero
  SET n.waits = true
} IN TRANSACTIONS OF 1000 ROWS
