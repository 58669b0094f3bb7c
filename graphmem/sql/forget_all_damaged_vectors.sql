-- What `verify_vectors` finds.
DELETE FROM vector WHERE vector_no IN (
    SELECT v.vector_no FROM embedding_model m
    CROSS JOIN vector v
    LEFT JOIN vector_tokens t ON t.vector_no = v.vector_no
    WHERE length(v.vector) NOT IN (4 * m.dimension, m.dimension + 4) OR length(t.tokens) % (m.dimension + 4) <> 0
)
