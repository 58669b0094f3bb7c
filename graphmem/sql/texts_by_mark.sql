SELECT group_id, target, texts, terms FROM group_texts WHERE mark = :mark
