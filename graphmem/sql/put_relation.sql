INSERT INTO relation (name, rivalry, symmetric, event, timeless, sensitivity, phrase)
VALUES (:name, :rivalry, :symmetric, :event, :timeless, :sensitivity, :phrase)
ON CONFLICT (name) DO UPDATE SET
    rivalry = excluded.rivalry, symmetric = excluded.symmetric, event = excluded.event, timeless = excluded.timeless,
    sensitivity = excluded.sensitivity, phrase = excluded.phrase
