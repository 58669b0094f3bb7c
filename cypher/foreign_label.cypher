// A node of another program under one of our labels.
MATCH (n:Entity) RETURN 'Entity' AS label LIMIT 1
UNION ALL MATCH (n:Episode) RETURN 'Episode' AS label LIMIT 1
UNION ALL MATCH (n:Fact) RETURN 'Fact' AS label LIMIT 1
UNION ALL MATCH (n:Claim) RETURN 'Claim' AS label LIMIT 1
UNION ALL MATCH (n:Group) RETURN 'Group' AS label LIMIT 1
UNION ALL MATCH (n:Job) RETURN 'Job' AS label LIMIT 1
UNION ALL MATCH (n:Name) RETURN 'Name' AS label LIMIT 1
UNION ALL MATCH (n:Commit) RETURN 'Commit' AS label LIMIT 1
UNION ALL MATCH (n:Meta) RETURN 'Meta' AS label LIMIT 1
UNION ALL MATCH (n:Relation) RETURN 'Relation' AS label LIMIT 1
UNION ALL MATCH (n:Retraction) RETURN 'Retraction' AS label LIMIT 1
UNION ALL MATCH (n:Tombstone) RETURN 'Tombstone' AS label LIMIT 1
