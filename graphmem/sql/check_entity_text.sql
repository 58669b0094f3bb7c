INSERT INTO entity_text (entity_text) VALUES ('integrity-check')
