SELECT e.episode_id AS item_id FROM episode e
WHERE e.group_id = :group_id AND e.episode_id IN (SELECT value FROM json_each(:item_ids)) AND e.learned_at <= :known_at
    AND (:is_open OR (
        (:session_id IS NULL OR e.session_id = :session_id)
        AND (:source IS NULL OR e.source = :source)
        AND (:speaker IS NULL OR e.speaker = :speaker)
        AND NOT EXISTS (
            SELECT 1 FROM json_each(:metadata) w
            WHERE NOT EXISTS (SELECT 1 FROM json_each(e.metadata) m WHERE m.key = w.key AND m.value = w.value)
        )
    ))
