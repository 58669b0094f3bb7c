MATCH (:Meta {id: 'vectors'})
UNWIND $input.group_ids AS g
RETURN sum(
  COUNT { MATCH (n:Fact) USING INDEX SEEK n:Fact(waits, group_id, fact_id) WHERE n.waits = true AND n.group_id = g AND n.fact_id >= '' }
  + COUNT { MATCH (n:Entity) USING INDEX SEEK n:Entity(waits, group_id, id) WHERE n.waits = true AND n.group_id = g AND n.id >= '' }
  + COUNT { MATCH (n:Episode) USING INDEX SEEK n:Episode(waits, group_id, id) WHERE n.waits = true AND n.group_id = g AND n.id >= '' }
) AS items
