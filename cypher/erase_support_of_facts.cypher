UNWIND $input.fact_ids AS fact_id
MATCH (f:Fact {group_id: $input.group_id, fact_id: fact_id})<-[s:SUPPORTS]-()
DELETE s
