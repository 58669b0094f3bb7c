// How many items the groups have, and the whole index.
RETURN
  sum(CASE $input.target
    WHEN 'fact' THEN COUNT { UNWIND $input.group_ids AS g MATCH (n:Fact) WHERE n.group_id = g AND n.fact_id >= '' }
    WHEN 'entity' THEN COUNT { UNWIND $input.group_ids AS g MATCH (n:Entity) WHERE n.group_id = g AND n.id >= '' }
    ELSE COUNT { UNWIND $input.group_ids AS g MATCH (n:Episode) WHERE n.group_id = g AND n.id >= '' }
  END) AS of_groups,
  sum(CASE $input.target
    WHEN 'fact' THEN COUNT { (:Fact) }
    WHEN 'entity' THEN COUNT { (:Entity) }
    ELSE COUNT { (:Episode) }
  END) AS of_all
