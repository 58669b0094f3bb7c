MATCH (m:Meta {id: 'graphmem'}) SET m.seq = CASE WHEN m.seq < $input.seq THEN $input.seq ELSE m.seq END
