CALL db.index.fulltext.queryNodes('graphmem_entity_text', $input.query, {limit: $input.candidates}) YIELD node AS n, score
RETURN n.id AS item_id, n.group_id AS group_id, score, n.group_id IN $input.group_ids AND n.created_at <= $input.known_at AS is_visible
