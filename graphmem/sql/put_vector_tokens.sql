INSERT INTO vector_tokens (vector_no, tokens) VALUES (:vector_no, :tokens)
