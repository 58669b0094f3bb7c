CALL db.awaitIndexes($input.timeout_s)
