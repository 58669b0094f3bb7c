SELECT block FROM fact_text_data WHERE id = 1
