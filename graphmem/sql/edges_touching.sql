-- Versions as a walk sees them, if wanted with those of the episodes behind each that the scope sees.
SELECT v.group_id, v.fact_id, v.subject, v.object, f.text, CASE WHEN :with_episodes THEN (
    SELECT json_group_array(e.episode_id) FROM episode e
    WHERE e.group_id = v.group_id AND e.learned_at <= :known_at
        AND e.episode_id IN (
            SELECT c.episode_id FROM support s
            JOIN claim c ON c.group_id = s.group_id AND c.claim_id = s.claim_id
            WHERE s.group_id = v.group_id AND s.version_id = v.version_id
                AND s.created_at <= :known_at AND s.expired_at > :known_at
        )
        AND (:is_open OR (
            (:session_id IS NULL OR e.session_id = :session_id)
            AND (:source IS NULL OR e.source = :source)
            AND (:speaker IS NULL OR e.speaker = :speaker)
            AND NOT EXISTS (
                SELECT 1 FROM json_each(:metadata) w
                WHERE NOT EXISTS (SELECT 1 FROM json_each(e.metadata) m WHERE m.key = w.key AND m.value = w.value)
            )
        ))
) ELSE '[]' END AS episode_ids
FROM (
    SELECT v.group_id, v.version_id, v.fact_id, v.subject, v.relation, v.object, v.valid_at, v.created_at FROM (
        SELECT s.* FROM fact_version s
        WHERE s.group_id = :group_id AND s.subject IN (SELECT value FROM json_each(:touching))
        UNION ALL
        SELECT o.* FROM fact_version o
        WHERE o.group_id = :group_id AND o.object IN (SELECT value FROM json_each(:touching))
            AND o.subject NOT IN (SELECT value FROM json_each(:touching))
    ) v
    WHERE CASE WHEN :possible THEN v.start_lo ELSE v.valid_at END < :until
        AND CASE WHEN :possible THEN v.end_hi ELSE v.invalid_at END > :start
        AND v.created_at <= :known_at AND v.expired_at > :known_at
        AND (:is_open OR EXISTS (
            SELECT 1 FROM supporting_episode e
            WHERE e.group_id = v.group_id AND e.version_id = v.version_id AND e.created_at <= :known_at AND e.expired_at > :known_at
                AND (:session_id IS NULL OR e.session_id = :session_id)
                AND (:source IS NULL OR e.source = :source)
                AND (:speaker IS NULL OR e.speaker = :speaker OR e.told_by = :speaker)
                AND NOT EXISTS (
                    SELECT 1 FROM json_each(:metadata) w
                    WHERE NOT EXISTS (SELECT 1 FROM json_each(e.metadata) m WHERE m.key = w.key AND m.value = w.value)
                )
        ))
    ORDER BY v.valid_at, v.relation, v.subject, v.object, v.created_at, v.version_id
    LIMIT :limit
) v
CROSS JOIN fact f ON f.group_id = v.group_id AND f.fact_id = v.fact_id
ORDER BY v.valid_at, v.relation, v.subject, v.object, v.created_at, v.version_id
