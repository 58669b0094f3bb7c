INSERT INTO embedding_model (one, name, dimension) VALUES (1, :model_name, :dimension)
