INSERT INTO group_texts (mark, group_id, target, texts, terms) VALUES (:mark, :group_id, :target, :texts, :terms)
ON CONFLICT (mark, group_id, target) DO UPDATE SET texts = texts + excluded.texts, terms = terms + excluded.terms
