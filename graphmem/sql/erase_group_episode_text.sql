DELETE FROM episode_text WHERE rowid IN (SELECT seq FROM episode WHERE group_id = :group_id)
