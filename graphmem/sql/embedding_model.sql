SELECT name, dimension FROM embedding_model
