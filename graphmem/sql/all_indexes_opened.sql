SELECT (SELECT rowid FROM fact_text LIMIT 1), (SELECT rowid FROM entity_text LIMIT 1), (SELECT rowid FROM episode_text LIMIT 1)
