-- Schema 1. Times are microseconds since 1970 (UTC); an open end is 253402300799999999 (MAX), an open beginning -62135596800000000 (MIN).
-- Every key begins with group_id: what belongs to another group is never met on the way.
-- checksum: of the row's other values, of those that may change apart; those stand in an index as well, which shows damage too.

CREATE TABLE setting (
    name TEXT NOT NULL PRIMARY KEY,
    value BLOB NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE relation (
    name TEXT NOT NULL PRIMARY KEY,
    rivalry TEXT NOT NULL,
    symmetric INTEGER NOT NULL,
    event INTEGER NOT NULL,
    timeless INTEGER NOT NULL,
    sensitivity TEXT NOT NULL,
    phrase TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- The group's last transaction time and last fencing number; both outlive an erasure of the group.
CREATE TABLE group_state (
    group_id TEXT NOT NULL PRIMARY KEY,
    tau INTEGER NOT NULL DEFAULT -62135596800000000,
    fence INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;

-- Receipts: one row a transaction.
CREATE TABLE tx (
    group_id TEXT NOT NULL,
    tau INTEGER NOT NULL,
    kind TEXT NOT NULL,
    note TEXT NOT NULL,
    PRIMARY KEY (group_id, tau)
) STRICT, WITHOUT ROWID;

-- seq: order of acceptance, never given twice.
CREATE TABLE episode (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    group_id TEXT NOT NULL,
    episode_id TEXT NOT NULL,
    text TEXT NOT NULL,
    source TEXT NOT NULL,
    said_at INTEGER NOT NULL,
    zone TEXT NOT NULL,
    speaker TEXT,
    session_id TEXT,
    metadata TEXT NOT NULL,
    trusted INTEGER NOT NULL,
    learned_at INTEGER NOT NULL,
    digest BLOB NOT NULL,
    checksum INTEGER NOT NULL,
    UNIQUE (group_id, episode_id)
) STRICT;

CREATE INDEX episode_time ON episode (group_id, said_at, seq);

CREATE TABLE job (
    seq INTEGER PRIMARY KEY REFERENCES episode (seq) ON DELETE CASCADE,
    group_id TEXT NOT NULL,
    job_id TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('queued', 'running', 'retrying', 'done', 'quarantined', 'dropped')),
    attempts INTEGER NOT NULL,
    fence INTEGER NOT NULL,
    run_after INTEGER NOT NULL,
    owner TEXT NOT NULL,
    reason TEXT NOT NULL,
    answer TEXT,
    receipt TEXT,
    accepted_at INTEGER NOT NULL,
    job_checksum INTEGER NOT NULL,
    UNIQUE (group_id, job_id)
) STRICT;

CREATE INDEX job_ready ON job (run_after, seq) WHERE state IN ('queued', 'retrying', 'running');
CREATE INDEX job_waiting ON job (group_id, seq) WHERE state IN ('queued', 'retrying', 'running');
CREATE INDEX job_state ON job (state, group_id);
CREATE INDEX job_leased ON job (group_id, run_after) WHERE state = 'running';

CREATE TABLE entity (
    entity_no INTEGER PRIMARY KEY,
    group_id TEXT NOT NULL,
    entity_id TEXT NOT NULL,
    name TEXT NOT NULL,
    kind TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    checksum INTEGER NOT NULL,
    UNIQUE (group_id, entity_id)
) STRICT;

CREATE TABLE name (
    group_id TEXT NOT NULL,
    key TEXT NOT NULL,
    entity_id TEXT NOT NULL,
    spelling TEXT NOT NULL,
    episode_id TEXT,
    checksum INTEGER NOT NULL,
    PRIMARY KEY (group_id, key, entity_id),
    FOREIGN KEY (group_id, entity_id) REFERENCES entity (group_id, entity_id) DEFERRABLE INITIALLY DEFERRED,
    FOREIGN KEY (group_id, episode_id) REFERENCES episode (group_id, episode_id) DEFERRABLE INITIALLY DEFERRED
) STRICT, WITHOUT ROWID;

CREATE INDEX name_entity ON name (group_id, entity_id, key);
CREATE INDEX name_episode ON name (group_id, episode_id) WHERE episode_id IS NOT NULL;

CREATE TABLE mention (
    group_id TEXT NOT NULL,
    entity_id TEXT NOT NULL,
    episode_id TEXT NOT NULL,
    PRIMARY KEY (group_id, entity_id, episode_id),
    FOREIGN KEY (group_id, entity_id) REFERENCES entity (group_id, entity_id) DEFERRABLE INITIALLY DEFERRED,
    FOREIGN KEY (group_id, episode_id) REFERENCES episode (group_id, episode_id) DEFERRABLE INITIALLY DEFERRED
) STRICT, WITHOUT ROWID;

CREATE INDEX mention_episode ON mention (group_id, episode_id);

-- No foreign key to entity: it would need two more indexes. commit checks it, and claims and versions hold the keys.
CREATE TABLE fact (
    fact_no INTEGER PRIMARY KEY,
    group_id TEXT NOT NULL,
    fact_id TEXT NOT NULL,
    subject TEXT NOT NULL,
    relation TEXT NOT NULL,
    object TEXT NOT NULL,
    text TEXT NOT NULL,
    checksum INTEGER NOT NULL,
    UNIQUE (group_id, fact_id)
) STRICT;

CREATE TABLE claim (
    claim_no INTEGER PRIMARY KEY,
    group_id TEXT NOT NULL,
    claim_id TEXT NOT NULL,
    fact_id TEXT NOT NULL,
    episode_id TEXT,
    kind TEXT NOT NULL,
    subject TEXT NOT NULL,
    relation TEXT NOT NULL,
    object TEXT NOT NULL,
    ref INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    start_lo INTEGER,
    start_hi INTEGER,
    start_unit TEXT,
    end_lo INTEGER,
    end_hi INTEGER,
    end_unit TEXT,
    inferred INTEGER NOT NULL,
    trusted INTEGER NOT NULL,
    tau INTEGER NOT NULL,
    phrase TEXT,
    quote_from INTEGER,
    quote_to INTEGER,
    origin TEXT NOT NULL,
    checksum INTEGER NOT NULL,
    UNIQUE (group_id, claim_id),
    FOREIGN KEY (group_id, fact_id) REFERENCES fact (group_id, fact_id) DEFERRABLE INITIALLY DEFERRED,
    FOREIGN KEY (group_id, episode_id) REFERENCES episode (group_id, episode_id) DEFERRABLE INITIALLY DEFERRED,
    FOREIGN KEY (group_id, subject) REFERENCES entity (group_id, entity_id) DEFERRABLE INITIALLY DEFERRED,
    FOREIGN KEY (group_id, object) REFERENCES entity (group_id, entity_id) DEFERRABLE INITIALLY DEFERRED
) STRICT;

CREATE INDEX claim_fact ON claim (group_id, fact_id);
CREATE INDEX claim_episode ON claim (group_id, episode_id) WHERE episode_id IS NOT NULL;
CREATE INDEX claim_subject ON claim (group_id, subject, relation, object);
CREATE INDEX claim_object ON claim (group_id, object, relation);

CREATE TABLE retraction (
    group_id TEXT NOT NULL,
    retraction_id TEXT NOT NULL,
    tau INTEGER NOT NULL,
    reason TEXT NOT NULL,
    PRIMARY KEY (group_id, retraction_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE withdrawal (
    group_id TEXT NOT NULL,
    claim_id TEXT NOT NULL,
    retraction_id TEXT NOT NULL,
    tau INTEGER NOT NULL,
    PRIMARY KEY (group_id, claim_id, retraction_id),
    FOREIGN KEY (group_id, claim_id) REFERENCES claim (group_id, claim_id) DEFERRABLE INITIALLY DEFERRED
) STRICT, WITHOUT ROWID;

CREATE INDEX withdrawal_retraction ON withdrawal (group_id, retraction_id);

-- valid_at NULL means undated past (R5) and nothing else.
CREATE TABLE fact_version (
    version_no INTEGER PRIMARY KEY,
    group_id TEXT NOT NULL,
    version_id TEXT NOT NULL,
    fact_id TEXT NOT NULL,
    subject TEXT NOT NULL,
    relation TEXT NOT NULL,
    object TEXT NOT NULL,
    valid_at INTEGER,
    invalid_at INTEGER NOT NULL,
    start_lo INTEGER NOT NULL,
    start_hi INTEGER NOT NULL,
    start_unit TEXT NOT NULL,
    end_lo INTEGER NOT NULL,
    end_hi INTEGER NOT NULL,
    end_unit TEXT NOT NULL,
    start_stated INTEGER NOT NULL,
    end_stated INTEGER NOT NULL,
    trusted INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    expired_at INTEGER NOT NULL,
    checksum INTEGER NOT NULL,
    UNIQUE (group_id, version_id),
    CHECK (valid_at < invalid_at),
    CHECK (created_at < expired_at),
    FOREIGN KEY (group_id, fact_id) REFERENCES fact (group_id, fact_id) DEFERRABLE INITIALLY DEFERRED,
    FOREIGN KEY (group_id, subject) REFERENCES entity (group_id, entity_id) DEFERRABLE INITIALLY DEFERRED,
    FOREIGN KEY (group_id, object) REFERENCES entity (group_id, entity_id) DEFERRABLE INITIALLY DEFERRED
) STRICT;

CREATE INDEX version_subject ON fact_version (group_id, subject, relation, valid_at);
CREATE INDEX version_object ON fact_version (group_id, object, relation, valid_at);
CREATE INDEX version_fact ON fact_version (group_id, fact_id, expired_at);
CREATE INDEX version_valid ON fact_version (group_id, valid_at, relation);
CREATE INDEX version_created ON fact_version (group_id, created_at);
-- Partial on purpose: a plain index on expired_at is taken for "expired_at = MAX" and makes such reads a thousand times slower.
CREATE INDEX version_expired ON fact_version (group_id, expired_at) WHERE expired_at < 253402300799999999;

CREATE TABLE support (
    group_id TEXT NOT NULL,
    version_id TEXT NOT NULL,
    claim_id TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    expired_at INTEGER NOT NULL,
    PRIMARY KEY (group_id, version_id, claim_id, created_at),
    CHECK (created_at < expired_at),
    FOREIGN KEY (group_id, version_id) REFERENCES fact_version (group_id, version_id) DEFERRABLE INITIALLY DEFERRED,
    FOREIGN KEY (group_id, claim_id) REFERENCES claim (group_id, claim_id) DEFERRABLE INITIALLY DEFERRED
) STRICT, WITHOUT ROWID;

-- With expired_at, so that damage to it shows as a difference between table and index.
CREATE INDEX support_claim ON support (group_id, claim_id, expired_at);

CREATE TABLE tombstone (
    group_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    target_id TEXT NOT NULL,
    tau INTEGER NOT NULL,
    reason TEXT NOT NULL,
    digest BLOB NOT NULL,
    checksum INTEGER NOT NULL,
    PRIMARY KEY (group_id, kind, target_id)
) STRICT, WITHOUT ROWID;

-- Full text holds our own terms, blank between them; the tokenizer must leave them as they are: `ascii` splits at blanks
-- (and other ASCII signs, which no term has) and keeps everything beyond ASCII. The rowid is the number of the row it describes.
CREATE VIRTUAL TABLE fact_text USING fts5 (terms, tokenize = 'ascii');
CREATE VIRTUAL TABLE entity_text USING fts5 (terms, tokenize = 'ascii');
CREATE VIRTUAL TABLE episode_text USING fts5 (terms, tokenize = 'ascii');

-- The episodes a version rests on, with the time of each link.
CREATE VIEW supporting_episode AS
SELECT s.group_id, s.version_id, s.created_at, s.expired_at, e.session_id, e.source, e.speaker, e.metadata
FROM support s
JOIN claim c ON c.group_id = s.group_id AND c.claim_id = s.claim_id
JOIN episode e ON e.group_id = c.group_id AND e.episode_id = c.episode_id;

-- A claim with the time of its first retraction.
CREATE VIEW stored_claim AS
SELECT c.*, coalesce(
    (SELECT min(w.tau) FROM withdrawal w WHERE w.group_id = c.group_id AND w.claim_id = c.claim_id),
    253402300799999999
) AS retracted_at
FROM claim c;

-- History is never rewritten (R25): the one update there is closes an open version or link, once.
CREATE TRIGGER version_closes_once BEFORE UPDATE ON fact_version
WHEN old.expired_at <> 253402300799999999
    OR new.expired_at = 253402300799999999
    OR (new.version_no, new.group_id, new.version_id, new.fact_id, new.subject, new.relation, new.object)
        IS NOT (old.version_no, old.group_id, old.version_id, old.fact_id, old.subject, old.relation, old.object)
    OR (new.valid_at, new.invalid_at, new.start_lo, new.start_hi, new.start_unit, new.end_lo, new.end_hi, new.end_unit)
        IS NOT (old.valid_at, old.invalid_at, old.start_lo, old.start_hi, old.start_unit, old.end_lo, old.end_hi, old.end_unit)
    OR (new.start_stated, new.end_stated, new.trusted, new.created_at, new.checksum)
        IS NOT (old.start_stated, old.end_stated, old.trusted, old.created_at, old.checksum)
BEGIN
    SELECT raise(ABORT, 'a version is never rewritten; it is closed once');
END;

CREATE TRIGGER support_closes_once BEFORE UPDATE ON support
WHEN old.expired_at <> 253402300799999999
    OR new.expired_at = 253402300799999999
    OR (new.group_id, new.version_id, new.claim_id, new.created_at)
        IS NOT (old.group_id, old.version_id, old.claim_id, old.created_at)
BEGIN
    SELECT raise(ABORT, 'a support link is never rewritten; it is closed once');
END;

CREATE TRIGGER claim_is_immutable BEFORE UPDATE ON claim
BEGIN
    SELECT raise(ABORT, 'a claim is never rewritten');
END;

CREATE TRIGGER episode_is_immutable BEFORE UPDATE ON episode
BEGIN
    SELECT raise(ABORT, 'an episode is never rewritten');
END;

CREATE TRIGGER fact_is_immutable BEFORE UPDATE ON fact
BEGIN
    SELECT raise(ABORT, 'a fact is never rewritten');
END;

-- What the planner believes of the tables, instead of measuring: one large group. Without it, "group_id = ?" looks selective
-- and reads of one fact walk the whole group. Numbers: rows, then rows for each value of the first 1, 2, 3 … columns.
ANALYZE;

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES
    ('group_state', 'group_state', '100 1'),
    ('tx', 'tx', '100000 100000 1'),
    ('episode', 'sqlite_autoindex_episode_1', '100000 100000 1'),
    ('episode', 'episode_time', '100000 100000 2 1'),
    ('job', 'sqlite_autoindex_job_1', '100000 100000 1'),
    ('job', 'job_ready', '1000 2 1'),
    ('job', 'job_waiting', '1000 1000 1'),
    ('job', 'job_leased', '10 1 1'),
    ('job', 'job_state', '100000 20000 20000'),
    ('entity', 'sqlite_autoindex_entity_1', '200000 200000 1'),
    ('name', 'name', '300000 300000 2 1'),
    ('name', 'name_entity', '300000 300000 2 1'),
    ('name', 'name_episode', '300000 300000 3'),
    ('mention', 'mention', '500000 500000 3 1'),
    ('mention', 'mention_episode', '500000 500000 5'),
    ('fact', 'sqlite_autoindex_fact_1', '300000 300000 1'),
    ('claim', 'sqlite_autoindex_claim_1', '500000 500000 1'),
    ('claim', 'claim_fact', '500000 500000 2'),
    ('claim', 'claim_episode', '500000 500000 5'),
    ('claim', 'claim_subject', '500000 500000 10 4 2'),
    ('claim', 'claim_object', '500000 500000 10 5'),
    ('retraction', 'retraction', '1000 1000 1'),
    ('withdrawal', 'withdrawal', '1000 1000 1 1'),
    ('withdrawal', 'withdrawal_retraction', '1000 1000 3'),
    ('fact_version', 'sqlite_autoindex_fact_version_1', '1000000 1000000 1'),
    ('fact_version', 'version_subject', '1000000 1000000 20 5 1'),
    ('fact_version', 'version_object', '1000000 1000000 20 8 1'),
    ('fact_version', 'version_fact', '1000000 1000000 3 2'),
    ('fact_version', 'version_valid', '1000000 1000000 2 1'),
    ('fact_version', 'version_created', '1000000 1000000 2'),
    ('fact_version', 'version_expired', '400000 400000 2'),
    ('support', 'support', '1500000 1500000 2 1 1'),
    ('support', 'support_claim', '1500000 1500000 3'),
    ('tombstone', 'tombstone', '1000 1000 400 1');
