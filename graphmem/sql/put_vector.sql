INSERT INTO vector (target, group_id, item_id, vector) VALUES (:target, :group_id, :item_id, :vector)
RETURNING vector_no
