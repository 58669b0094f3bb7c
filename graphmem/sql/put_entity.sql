INSERT INTO entity (group_id, entity_id, name, kind, created_at, checksum) VALUES (:group_id, :entity_id, :name, :kind, :created_at, :checksum)
ON CONFLICT (group_id, entity_id) DO NOTHING
