-- Schema 5: a claim may hold who says so, where that is not its episode's speaker (told_by; NULL: the speaker). The checksum of a claim
-- covers it where it is there, so that those of claims made before stay right.

ALTER TABLE claim ADD COLUMN told_by TEXT;

DROP VIEW supporting_episode;

CREATE VIEW supporting_episode AS
SELECT s.group_id, s.version_id, s.created_at, s.expired_at, e.session_id, e.source, e.speaker, c.told_by, e.metadata
FROM support s
JOIN claim c ON c.group_id = s.group_id AND c.claim_id = s.claim_id
JOIN episode e ON e.group_id = c.group_id AND e.episode_id = c.episode_id;
