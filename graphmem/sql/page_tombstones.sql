SELECT * FROM tombstone
WHERE group_id = :group_id AND kind IN (SELECT DISTINCT kind FROM tombstone WHERE group_id = :group_id AND kind > :after ORDER BY kind LIMIT :limit)
ORDER BY kind, target_id
