SELECT count(*) AS vectors FROM vector WHERE target = :target AND group_id = :group_id AND vector_no > :after
