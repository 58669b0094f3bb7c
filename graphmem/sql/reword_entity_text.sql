UPDATE entity_text SET terms = :terms WHERE rowid = :no
