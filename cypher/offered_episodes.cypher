// What is known of offered episodes already.
UNWIND $input.episodes AS x
OPTIONAL MATCH (t:Tombstone {group_id: x.group_id, kind: 'episode', target_id: x.id})
OPTIONAL MATCH (p:Episode {group_id: x.group_id, id: x.id})
OPTIONAL MATCH (j:Job {group_id: x.group_id, id: x.id})
RETURN x.group_id AS group_id, x.id AS id, t IS NOT NULL AS erased, p.digest AS digest, properties(j) AS job
