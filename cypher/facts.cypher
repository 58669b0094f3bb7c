UNWIND $input.ids AS id MATCH (f:Fact {group_id: $input.group_id, fact_id: id}) RETURN f {.*, terms: null, vector: null, tokens: null} AS fact
