UNWIND $input.ids AS id
MATCH (n:Episode {group_id: $input.group_id, id: id}) WHERE n.vector IS NOT NULL
WITH id, n.vector AS vector
RETURN collect({id: id, vector: vector}) AS rows
