SHOW PROCEDURES YIELD name WHERE name = 'db.checkpoint' RETURN name
