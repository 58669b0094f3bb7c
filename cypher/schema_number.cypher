OPTIONAL MATCH (m:Meta {id: 'graphmem'}) RETURN m.schema AS schema
