// Names that say they were learned in one of these episodes, wherever the episode mentions their entity or not.
MATCH (k:Name) WHERE k.group_id = $input.group_id AND k.key >= ''
MATCH (k)-[r:NAMES]->() WHERE r.episode_id IN $input.episode_ids
REMOVE r.episode_id
