SHOW INDEXES YIELD name, state, type, entityType, labelsOrTypes, properties, options
WHERE name STARTS WITH 'graphmem_'
RETURN name, state, type, labelsOrTypes AS on_what, properties, options.indexConfig['fulltext.analyzer'] AS analyzer
