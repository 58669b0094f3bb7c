-- Schema 3: terms bear the mark of their group (`marked_terms` is the program's), so that a search reads the rows of its groups
-- only, and counts how common a word is among them.

UPDATE fact_text SET terms = marked_terms((SELECT f.group_id FROM fact f WHERE f.fact_no = fact_text.rowid), terms);

UPDATE entity_text SET terms = marked_terms((SELECT e.group_id FROM entity e WHERE e.entity_no = entity_text.rowid), terms);

UPDATE episode_text SET terms = marked_terms((SELECT e.group_id FROM episode e WHERE e.seq = episode_text.rowid), terms);
