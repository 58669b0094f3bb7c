-- Tokens of a vector that went without them.
DELETE FROM vector_tokens WHERE NOT EXISTS (SELECT 1 FROM vector v WHERE v.vector_no = vector_tokens.vector_no)
