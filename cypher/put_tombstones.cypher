UNWIND $input.tombstones AS x
MERGE (t:Tombstone {group_id: $input.group_id, kind: x.kind, target_id: x.target_id}) ON CREATE SET t += x
