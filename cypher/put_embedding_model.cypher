// Not ready until the vectors of another model are gone.
MERGE (v:Meta {id: 'vectors'})
SET v.model = $input.model, v.dimension = $input.dimension, v.is_ready = $input.is_ready
