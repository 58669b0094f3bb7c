INSERT INTO entity_text (entity_text) VALUES ('optimize')
