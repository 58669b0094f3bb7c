-- What was erased may still stand in the file, until it has been written anew.
INSERT INTO setting (name, value) VALUES ('unscrubbed', x'01') ON CONFLICT (name) DO NOTHING
