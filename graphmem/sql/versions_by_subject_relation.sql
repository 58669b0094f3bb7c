SELECT v.*
FROM json_each(:subjects) e
CROSS JOIN json_each(:relations) r
CROSS JOIN fact_version v ON v.group_id = :group_id AND v.subject = e.value AND v.relation = r.value
WHERE true
    AND (:objects IS NULL OR v.object IN (SELECT value FROM json_each(:objects)))
    AND (:touching IS NULL OR v.subject IN (SELECT value FROM json_each(:touching))
        OR v.object IN (SELECT value FROM json_each(:touching)))
    AND CASE WHEN :possible THEN v.start_lo ELSE v.valid_at END < :until
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
