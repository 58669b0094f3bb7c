UNWIND $input.keys AS key
WITH key[0] AS group_id, key[1] AS id
MATCH (n:Episode {group_id: group_id, id: id}) WHERE n.tokens IS NOT NULL
WITH group_id, id, n.tokens AS tokens
RETURN collect({group_id: group_id, id: id, tokens: tokens}) AS rows
