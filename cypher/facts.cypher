UNWIND $input.ids AS id MATCH (f:Fact {group_id: $input.group_id, fact_id: id})
WITH f {.*, terms: null, vector: null, tokens: null} AS fact
RETURN collect({fact: fact}) AS rows
