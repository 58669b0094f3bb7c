// All of the kinds beyond `after`: there are few of them.
MATCH (n:Tombstone) WHERE n.group_id = $input.group_id AND n.kind > $input.after AND n.target_id >= ''
RETURN n.kind AS key, properties(n) AS item ORDER BY n.group_id, n.kind, n.target_id
