UNWIND $input.fact_ids AS fact_id
MATCH ()-[v:FACT]->() USING INDEX SEEK v:FACT(group_id, fact_id, expired_at)
WHERE v.group_id = $input.group_id AND v.fact_id = fact_id AND v.expired_at >= ''
DELETE v
