DELETE FROM unembedded WHERE group_id = :group_id AND target = :target AND item_id = :item_id
