SELECT
    (SELECT max(vector_no) FROM vector WHERE target = :target AND group_id = :group_id) AS last_no,
    (SELECT removed FROM removed_vectors WHERE target = :target AND group_id = :group_id) AS removed
