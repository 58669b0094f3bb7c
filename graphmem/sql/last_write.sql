SELECT value FROM setting WHERE name = 'last_write'
