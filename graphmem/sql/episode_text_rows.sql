SELECT block FROM episode_text_data WHERE id = 1
