DELETE FROM episode_text WHERE rowid IN (
    SELECT e.seq FROM episode e WHERE e.group_id = :group_id AND e.episode_id IN (SELECT value FROM json_each(:ids))
)
