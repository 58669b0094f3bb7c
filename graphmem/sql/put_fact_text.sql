INSERT INTO fact_text (rowid, terms) VALUES (:no, :terms)
