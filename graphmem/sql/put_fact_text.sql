INSERT INTO fact_text (rowid, terms) VALUES (:fact_no, :terms)
