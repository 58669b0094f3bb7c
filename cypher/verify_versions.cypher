// Versions with other ends than their fact, or that lie between other entities than they say.
MATCH (s)-[v:FACT]->(o) USING INDEX SEEK v:FACT(group_id, version_id)
WHERE v.group_id = $input.group_id AND v.version_id >= ''
  AND NOT (s.id = v.subject AND o.id = v.object AND EXISTS {
    MATCH (f:Fact {group_id: v.group_id, fact_id: v.fact_id})
    WHERE f.subject = v.subject AND f.relation = v.relation AND f.object = v.object
  })
RETURN v.version_id AS id ORDER BY id
