MATCH (r:Relation) RETURN properties(r) AS relation ORDER BY r.name
