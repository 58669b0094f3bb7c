// Episodes without a job.
MATCH (p:Episode) WHERE p.group_id = $input.group_id AND p.id >= '' AND NOT EXISTS { (p)<-[:FOR]-(:Job) } RETURN p.id AS id ORDER BY id
