DELETE FROM embedding_model
