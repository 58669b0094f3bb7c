SELECT * FROM name
WHERE group_id = :group_id
    AND key IN (SELECT DISTINCT key FROM name WHERE group_id = :group_id AND key > :after ORDER BY key LIMIT :limit)
ORDER BY key, entity_id
