CALL db.index.fulltext.queryNodes('graphmem_entity_text', $input.query, {limit: $input.candidates}) YIELD node AS n, score
WITH n.id AS item_id, n.group_id AS group_id, score, n.group_id IN $input.group_ids AND n.created_at <= $input.known_at AS is_visible
RETURN collect({item_id: item_id, group_id: group_id, score: score, is_visible: is_visible}) AS rows
