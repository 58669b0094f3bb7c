SELECT e.episode_id AS item_id, e.group_id, episode_text.rank AS rank
FROM episode_text
CROSS JOIN episode e ON e.seq = episode_text.rowid
WHERE episode_text MATCH :query AND e.group_id IN (SELECT value FROM json_each(:group_ids)) AND e.learned_at <= :known_at
    AND (:session_id IS NULL OR e.session_id = :session_id)
    AND (:source IS NULL OR e.source = :source)
    AND (:speaker IS NULL OR e.speaker = :speaker)
    AND NOT EXISTS (
        SELECT 1 FROM json_each(:metadata) w
        WHERE NOT EXISTS (SELECT 1 FROM json_each(e.metadata) m WHERE m.key = w.key AND m.value = w.value)
    )
ORDER BY episode_text.rank
