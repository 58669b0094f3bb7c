MATCH (g:Group) RETURN g.id AS group_id ORDER BY g.id
