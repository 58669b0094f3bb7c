// The first statement of every acceptance: its lock keeps the numbers in the order of the commits, and what is known of the
// episodes offered is read under it. The number itself is on another node, because a lock node is written once in a transaction.
MATCH (a:Meta {id: 'acceptance'}) SET a.calls = a.calls + 1
WITH a
MATCH (m:Meta {id: 'graphmem'})
RETURN m.seq AS seq, COLLECT {
  UNWIND $input.episodes AS x
  OPTIONAL MATCH (t:Tombstone {group_id: x.group_id, kind: 'episode', target_id: x.id})
  OPTIONAL MATCH (p:Episode {group_id: x.group_id, id: x.id})
  OPTIONAL MATCH (j:Job {group_id: x.group_id, id: x.id})
  RETURN {group_id: x.group_id, id: x.id, erased: t IS NOT NULL, digest: p.digest, job: properties(j)}
} AS offered
