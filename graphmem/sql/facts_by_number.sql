SELECT f.fact_no AS no, f.fact_id AS item_id FROM fact f
WHERE f.fact_no IN (SELECT value FROM json_each(:numbers)) AND f.group_id = :group_id
