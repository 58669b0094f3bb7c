SELECT 1 FROM tombstone WHERE group_id = :group_id AND kind = 'episode' AND target_id = :episode_id
