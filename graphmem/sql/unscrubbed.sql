SELECT 1 FROM setting WHERE name = 'unscrubbed'
