// Facts whose ends are not what they say.
MATCH (f:Fact) WHERE f.group_id = $input.group_id AND f.fact_id >= ''
  AND NOT (EXISTS { (f)-[:SUBJECT]->(:Entity {group_id: f.group_id, id: f.subject}) }
    AND EXISTS { (f)-[:OBJECT]->(:Entity {group_id: f.group_id, id: f.object}) })
RETURN f.fact_id AS id ORDER BY id
