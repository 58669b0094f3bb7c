SELECT value FROM setting WHERE name = 'secret'
