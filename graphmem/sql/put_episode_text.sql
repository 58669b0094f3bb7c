INSERT INTO episode_text (rowid, terms) VALUES (:seq, :terms)
