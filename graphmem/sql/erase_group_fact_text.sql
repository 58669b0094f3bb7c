DELETE FROM fact_text WHERE rowid IN (SELECT fact_no FROM fact WHERE group_id = :group_id)
