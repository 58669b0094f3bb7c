SELECT e.*, (
    SELECT b.episode_id FROM episode b
    WHERE b.group_id = e.group_id AND b.session_id IS e.session_id AND (b.said_at, b.seq) < (e.said_at, e.seq)
        AND b.learned_at <= :known_at
        AND (:is_open OR (
            (:session_id IS NULL OR b.session_id = :session_id)
            AND (:source IS NULL OR b.source = :source)
            AND (:speaker IS NULL OR b.speaker = :speaker)
            AND NOT EXISTS (
                SELECT 1 FROM json_each(:metadata) w
                WHERE NOT EXISTS (SELECT 1 FROM json_each(b.metadata) m WHERE m.key = w.key AND m.value = w.value)
            )
        ))
    ORDER BY b.said_at DESC, b.seq DESC
    LIMIT 1
) AS before, (
    SELECT a.episode_id FROM episode a
    WHERE a.group_id = e.group_id AND a.session_id IS e.session_id AND (a.said_at, a.seq) > (e.said_at, e.seq)
        AND a.learned_at <= :known_at
        AND (:is_open OR (
            (:session_id IS NULL OR a.session_id = :session_id)
            AND (:source IS NULL OR a.source = :source)
            AND (:speaker IS NULL OR a.speaker = :speaker)
            AND NOT EXISTS (
                SELECT 1 FROM json_each(:metadata) w
                WHERE NOT EXISTS (SELECT 1 FROM json_each(a.metadata) m WHERE m.key = w.key AND m.value = w.value)
            )
        ))
    ORDER BY a.said_at, a.seq
    LIMIT 1
) AS after
FROM episode e
WHERE e.group_id = :group_id AND e.episode_id IN (SELECT value FROM json_each(:episode_ids))
