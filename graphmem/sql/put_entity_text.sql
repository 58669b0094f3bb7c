INSERT INTO entity_text (rowid, terms) VALUES (:entity_no, :terms)
