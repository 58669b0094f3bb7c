// Claims with other ends than their fact, or away from the episode they say they come from.
MATCH (c:Claim) WHERE c.group_id = $input.group_id AND c.id >= ''
  AND NOT (
    EXISTS {
      MATCH (c)-[:OF]->(f:Fact) WHERE f.group_id = c.group_id AND f.fact_id = c.fact_id
        AND f.subject = c.subject AND f.relation = c.relation AND f.object = c.object
    }
    AND (c.episode_id IS NULL OR EXISTS { MATCH (c)<-[:STATES]-(p:Episode) WHERE p.group_id = c.group_id AND p.id = c.episode_id })
  )
RETURN c.id AS id ORDER BY id
