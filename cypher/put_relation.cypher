UNWIND $input.relations AS x
MERGE (r:Relation {name: x.name})
SET r = x
