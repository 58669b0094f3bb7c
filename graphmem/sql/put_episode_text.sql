INSERT INTO episode_text (rowid, terms) VALUES (:no, :terms)
