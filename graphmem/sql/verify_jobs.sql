SELECT e.group_id, e.episode_id FROM episode e WHERE NOT EXISTS (SELECT 1 FROM job j WHERE j.seq = e.seq) ORDER BY e.seq
