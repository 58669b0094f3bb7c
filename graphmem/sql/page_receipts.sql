SELECT tau, kind, note FROM tx WHERE group_id = :group_id AND tau > :after ORDER BY tau LIMIT :limit
