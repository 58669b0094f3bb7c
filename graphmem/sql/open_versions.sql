SELECT v.* FROM json_each(:fact_ids) i
CROSS JOIN fact_version v ON v.group_id = :group_id AND v.fact_id = i.value AND v.expired_at = 253402300799999999
ORDER BY v.version_id
