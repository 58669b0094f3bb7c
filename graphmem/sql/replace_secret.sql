-- Only where no digest was made with the one there is.
UPDATE setting SET value = :value
WHERE name = 'secret' AND NOT EXISTS (SELECT 1 FROM episode) AND NOT EXISTS (SELECT 1 FROM tombstone)
