MATCH (v:Meta {id: 'vectors'}) RETURN v.model AS model, v.dimension AS dimension, v.is_ready AS is_ready
