DELETE FROM vector WHERE target = :target AND group_id = :group_id AND item_id = :item_id
