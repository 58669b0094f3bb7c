// The secret is given once; the numbers of acceptances never run backwards.
MERGE (m:Meta {id: 'graphmem'}) ON CREATE SET m.secret = $input.secret, m.seq = 0
SET m.schema = $input.number
MERGE (a:Meta {id: 'acceptance'}) ON CREATE SET a.calls = 0
