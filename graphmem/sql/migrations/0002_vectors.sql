-- Schema 2: vectors. They are made from what the store holds and may be made again; nothing refers to them.

CREATE TABLE embedding_model (
    one INTEGER NOT NULL PRIMARY KEY CHECK (one = 1),
    name TEXT NOT NULL,
    dimension INTEGER NOT NULL CHECK (dimension > 0)
) STRICT;

-- vector_no rises and is never given twice: what is new to a reader lies beyond the last number it has seen.
CREATE TABLE vector (
    vector_no INTEGER PRIMARY KEY AUTOINCREMENT,
    target TEXT NOT NULL,
    group_id TEXT NOT NULL,
    item_id TEXT NOT NULL,
    vector BLOB NOT NULL,
    UNIQUE (target, group_id, item_id)
) STRICT;

CREATE INDEX vector_group ON vector (target, group_id, vector_no);

-- Apart from `vector`, so that reading the vectors of a group does not pass over them.
CREATE TABLE vector_tokens (
    vector_no INTEGER PRIMARY KEY REFERENCES vector (vector_no) ON DELETE CASCADE,
    tokens BLOB NOT NULL
) STRICT;

-- How many vectors of a group were ever taken away: a reader that has seen another number reads the group anew.
CREATE TABLE removed_vectors (
    target TEXT NOT NULL,
    group_id TEXT NOT NULL,
    removed INTEGER NOT NULL,
    PRIMARY KEY (target, group_id)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER vector_is_removed AFTER DELETE ON vector
BEGIN
    INSERT INTO removed_vectors (target, group_id, removed) VALUES (old.target, old.group_id, 1)
    ON CONFLICT (target, group_id) DO UPDATE SET removed = removed + 1;
END;

-- What waits for a vector; kept by the triggers below from the moment there is a model.
CREATE TABLE unembedded (
    group_id TEXT NOT NULL,
    target TEXT NOT NULL,
    item_id TEXT NOT NULL,
    PRIMARY KEY (group_id, target, item_id)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER new_fact_waits AFTER INSERT ON fact WHEN EXISTS (SELECT 1 FROM embedding_model)
BEGIN
    INSERT INTO unembedded (group_id, target, item_id) VALUES (new.group_id, 'fact', new.fact_id);
END;

CREATE TRIGGER new_entity_waits AFTER INSERT ON entity WHEN EXISTS (SELECT 1 FROM embedding_model)
BEGIN
    INSERT INTO unembedded (group_id, target, item_id) VALUES (new.group_id, 'entity', new.entity_id);
END;

CREATE TRIGGER new_episode_waits AFTER INSERT ON episode WHEN EXISTS (SELECT 1 FROM embedding_model)
BEGIN
    INSERT INTO unembedded (group_id, target, item_id) VALUES (new.group_id, 'episode', new.episode_id);
END;

CREATE TRIGGER fact_takes_its_vector AFTER DELETE ON fact
BEGIN
    DELETE FROM vector WHERE target = 'fact' AND group_id = old.group_id AND item_id = old.fact_id;
    DELETE FROM unembedded WHERE group_id = old.group_id AND target = 'fact' AND item_id = old.fact_id;
END;

CREATE TRIGGER entity_takes_its_vector AFTER DELETE ON entity
BEGIN
    DELETE FROM vector WHERE target = 'entity' AND group_id = old.group_id AND item_id = old.entity_id;
    DELETE FROM unembedded WHERE group_id = old.group_id AND target = 'entity' AND item_id = old.entity_id;
END;

CREATE TRIGGER episode_takes_its_vector AFTER DELETE ON episode
BEGIN
    DELETE FROM vector WHERE target = 'episode' AND group_id = old.group_id AND item_id = old.episode_id;
    DELETE FROM unembedded WHERE group_id = old.group_id AND target = 'episode' AND item_id = old.episode_id;
END;

CREATE TRIGGER renamed_entity_waits AFTER UPDATE OF name ON entity
WHEN new.name IS NOT old.name AND EXISTS (SELECT 1 FROM embedding_model)
BEGIN
    DELETE FROM vector WHERE target = 'entity' AND group_id = new.group_id AND item_id = new.entity_id;
    INSERT INTO unembedded (group_id, target, item_id) VALUES (new.group_id, 'entity', new.entity_id)
    ON CONFLICT (group_id, target, item_id) DO NOTHING;
END;

CREATE TRIGGER reworded_fact_waits AFTER UPDATE OF text ON fact
WHEN new.text IS NOT old.text AND EXISTS (SELECT 1 FROM embedding_model)
BEGIN
    DELETE FROM vector WHERE target = 'fact' AND group_id = new.group_id AND item_id = new.fact_id;
    INSERT INTO unembedded (group_id, target, item_id) VALUES (new.group_id, 'fact', new.fact_id)
    ON CONFLICT (group_id, target, item_id) DO NOTHING;
END;

-- The neighbours of an episode in its session.
CREATE INDEX episode_session ON episode (group_id, session_id, said_at, seq);

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES
    ('episode', 'episode_session', '100000 100000 50 2 1'),
    ('vector', 'sqlite_autoindex_vector_1', '300000 100000 100000 1'),
    ('vector', 'vector_group', '300000 100000 100000 1'),
    ('removed_vectors', 'removed_vectors', '1000 300 1'),
    ('unembedded', 'unembedded', '100000 100000 30000 1');
