SELECT mark, group_id, target, texts, terms FROM group_texts
