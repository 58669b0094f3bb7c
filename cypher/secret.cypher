MATCH (m:Meta {id: 'graphmem'}) RETURN m.secret AS secret
