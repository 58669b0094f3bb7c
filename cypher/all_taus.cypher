MATCH (g:Group) RETURN g.id AS group_id, g.tau AS tau, g.fence AS fence ORDER BY g.id
