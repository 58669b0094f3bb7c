UNWIND $input.entities AS x
MATCH (n:Entity {group_id: $input.group_id, id: x.id}) WHERE n.name <> x.name SET n.name = x.name, n.waits = true
REMOVE n.vector, n.tokens, n.is_zero
