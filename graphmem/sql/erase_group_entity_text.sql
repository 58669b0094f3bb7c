DELETE FROM entity_text WHERE rowid IN (SELECT entity_no FROM entity WHERE group_id = :group_id)
