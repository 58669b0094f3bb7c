UPDATE fact_text SET terms = :terms WHERE rowid = :fact_no
