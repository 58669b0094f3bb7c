DELETE FROM entity_text WHERE rowid = :entity_no
