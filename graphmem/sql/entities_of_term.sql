-- A row for each place where the term stands: the number of the text, rising, and its length (a varint of SQLite).
SELECT v.doc, d.sz FROM entity_term v CROSS JOIN entity_text_docsize d ON d.id = v.doc WHERE v.term = :term
