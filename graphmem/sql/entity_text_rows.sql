SELECT block FROM entity_text_data WHERE id = 1
