// The first statement of every acceptance: its lock keeps the numbers in the order of the commits. The number itself is on
// another node, because a lock node is written once in a transaction.
MATCH (a:Meta {id: 'acceptance'}) SET a.calls = a.calls + 1
WITH a
MATCH (m:Meta {id: 'graphmem'}) RETURN m.seq AS seq
