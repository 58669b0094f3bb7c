DELETE FROM setting WHERE name = 'unscrubbed'
