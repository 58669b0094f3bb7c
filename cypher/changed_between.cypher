UNWIND $input.group_ids AS group_id
CALL (group_id) {
  MATCH ()-[v:FACT]->() USING INDEX SEEK v:FACT(group_id, created_at)
  WHERE v.group_id = group_id AND v.created_at > $input.after AND v.created_at <= $input.until RETURN v
  UNION
  MATCH ()-[v:FACT]->() USING INDEX SEEK v:FACT(group_id, expired_at)
  WHERE v.group_id = group_id AND v.expired_at > $input.after AND v.expired_at <= $input.until AND v.expired_at < $input.open
  RETURN v
}
WITH v, CASE WHEN v.created_at > $input.after THEN v.created_at ELSE v.expired_at END AS changed_at
RETURN properties(v) AS version ORDER BY changed_at, v.version_id
