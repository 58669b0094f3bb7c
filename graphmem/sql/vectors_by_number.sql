SELECT vector_no, vector FROM vector WHERE vector_no IN (SELECT value FROM json_each(:numbers)) ORDER BY vector_no
