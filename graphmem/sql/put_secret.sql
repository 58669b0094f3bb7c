INSERT INTO setting (name, value) VALUES ('secret', :value)
