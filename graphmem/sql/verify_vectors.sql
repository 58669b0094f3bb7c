-- Vectors of another length than those of the model they were made by, in either form, or with tokens of another.
SELECT v.group_id, v.target, v.item_id FROM embedding_model m
CROSS JOIN vector v
LEFT JOIN vector_tokens t ON t.vector_no = v.vector_no
WHERE length(v.vector) NOT IN (4 * m.dimension, m.dimension + 4) OR length(t.tokens) % (m.dimension + 4) <> 0
ORDER BY v.group_id, v.target, v.item_id
