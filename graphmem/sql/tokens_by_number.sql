SELECT vector_no, tokens FROM vector_tokens WHERE vector_no IN (SELECT value FROM json_each(:numbers))
