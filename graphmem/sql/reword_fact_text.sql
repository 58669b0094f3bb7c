UPDATE fact_text SET terms = :terms WHERE rowid = :no
