SELECT v.item_id, t.tokens FROM vector v
JOIN vector_tokens t ON t.vector_no = v.vector_no
WHERE v.target = :target AND v.group_id = :group_id AND v.item_id IN (SELECT value FROM json_each(:item_ids))
