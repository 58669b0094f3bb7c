UNWIND $input.facts AS x
MATCH (f:Fact {group_id: $input.group_id, fact_id: x.fact_id}) WHERE f.text <> x.text SET f.text = x.text, f.terms = x.terms, f.waits = true
REMOVE f.vector, f.tokens, f.is_zero
