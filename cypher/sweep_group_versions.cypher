// In transactions of its own, for a group too big for one; may be run again.
MATCH ()-[v:FACT]->() USING INDEX SEEK v:FACT(group_id, version_id) WHERE v.group_id = $input.group_id AND v.version_id >= ''
CALL (v) {
  DELETE v
} IN TRANSACTIONS OF 1000 ROWS
