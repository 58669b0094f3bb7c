SELECT e.* FROM episode e WHERE e.group_id = :group_id AND e.episode_id IN (SELECT value FROM json_each(:episode_ids))
