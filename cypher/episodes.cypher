UNWIND $input.ids AS id MATCH (p:Episode {group_id: $input.group_id, id: id})
WITH p {.*, terms: null, vector: null, tokens: null} AS episode
RETURN collect({episode: episode}) AS rows
