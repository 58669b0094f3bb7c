// Vector indexes of servers from 2026.02 on, which look for the group inside the index. The dimension is that of the vectors.

CYPHER 25 CREATE VECTOR INDEX graphmem_fact_vector IF NOT EXISTS FOR (n:Fact) ON n.vector WITH [n.group_id]
OPTIONS {indexConfig: {`vector.similarity_function`: 'cosine'}};
CYPHER 25 CREATE VECTOR INDEX graphmem_entity_vector IF NOT EXISTS FOR (n:Entity) ON n.vector WITH [n.group_id]
OPTIONS {indexConfig: {`vector.similarity_function`: 'cosine'}};
CYPHER 25 CREATE VECTOR INDEX graphmem_episode_vector IF NOT EXISTS FOR (n:Episode) ON n.vector WITH [n.group_id]
OPTIONS {indexConfig: {`vector.similarity_function`: 'cosine'}};
