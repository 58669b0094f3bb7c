SELECT item_id, vector FROM vector
WHERE target = :target AND group_id = :group_id AND item_id IN (SELECT value FROM json_each(:item_ids))
