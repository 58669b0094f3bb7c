MATCH (m:Meta {id: 'graphmem'}) SET m.seq = CASE WHEN m.seq < $input.seq THEN $input.seq ELSE m.seq END
WITH m
UNWIND $input.rows AS x
MERGE (g:Group {id: x.episode.group_id}) ON CREATE SET g.tau = $input.never, g.fence = 0
CREATE (p:Episode) SET p = x.episode
CREATE (j:Job) SET j = x.job
CREATE (j)-[:FOR]->(p)
