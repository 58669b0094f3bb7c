INSERT INTO entity_text (rowid, terms) VALUES (:no, :terms)
