// Vector indexes of servers before 2026.02. The dimension is that of the vectors.

CREATE VECTOR INDEX graphmem_fact_vector IF NOT EXISTS FOR (n:Fact) ON n.vector
OPTIONS {indexConfig: {`vector.similarity_function`: 'cosine'}};
CREATE VECTOR INDEX graphmem_entity_vector IF NOT EXISTS FOR (n:Entity) ON n.vector
OPTIONS {indexConfig: {`vector.similarity_function`: 'cosine'}};
CREATE VECTOR INDEX graphmem_episode_vector IF NOT EXISTS FOR (n:Episode) ON n.vector
OPTIONS {indexConfig: {`vector.similarity_function`: 'cosine'}};
