SELECT
    :group_id AS group_id,
    coalesce((SELECT tau FROM group_state WHERE group_id = :group_id), -62135596800000000) AS tau,
    (SELECT count(*) FROM episode WHERE group_id = :group_id) AS episodes,
    (SELECT count(*) FROM entity WHERE group_id = :group_id) AS entities,
    (SELECT count(*) FROM fact WHERE group_id = :group_id) AS facts,
    (SELECT count(*) FROM fact_version WHERE group_id = :group_id) AS versions,
    (SELECT count(*) FROM claim WHERE group_id = :group_id) AS claims
