UNWIND $input.ids AS id MATCH (n:Entity {group_id: $input.group_id, id: id})
WITH n {.*, terms: null, vector: null, tokens: null} AS entity
RETURN collect({entity: entity}) AS rows
