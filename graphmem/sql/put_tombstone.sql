INSERT INTO tombstone (group_id, kind, target_id, tau, reason, digest, checksum)
VALUES (:group_id, :kind, :target_id, :tau, :reason, :digest, :checksum)
ON CONFLICT (group_id, kind, target_id) DO NOTHING
