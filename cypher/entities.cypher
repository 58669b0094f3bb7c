UNWIND $input.ids AS id MATCH (n:Entity {group_id: $input.group_id, id: id}) RETURN n {.*, terms: null, vector: null, tokens: null} AS entity
