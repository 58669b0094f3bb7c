SELECT vector_no, item_id, vector FROM vector
WHERE target = :target AND group_id = :group_id AND vector_no > :after
ORDER BY vector_no
