INSERT INTO episode (group_id, episode_id, text, source, said_at, zone, speaker, session_id, metadata, trusted, learned_at, digest, checksum)
VALUES (:group_id, :episode_id, :text, :source, :said_at, :zone, :speaker, :session_id, :metadata, :trusted, :learned_at, :digest, :checksum)
RETURNING seq
