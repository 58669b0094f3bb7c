// A vector of zeros is near nothing and has no place in the index: `vector` is null.
UNWIND $input.rows AS x
MATCH (n:Entity {group_id: x.group_id, id: x.id})
REMOVE n.waits, n.vector
SET n.tokens = x.tokens, n.is_zero = CASE WHEN x.vector IS NULL THEN true END
WITH n, x WHERE x.vector IS NOT NULL
CALL db.create.setNodeVectorProperty(n, 'vector', x.vector)
