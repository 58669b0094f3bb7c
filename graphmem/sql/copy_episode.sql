INSERT INTO episode (
    seq, group_id, episode_id, text, source, said_at, zone, speaker, session_id, metadata, trusted, learned_at, digest, checksum
) VALUES (
    :seq, :group_id, :episode_id, :text, :source, :said_at, :zone, :speaker, :session_id, :metadata, :trusted, :learned_at, :digest, :checksum
)
