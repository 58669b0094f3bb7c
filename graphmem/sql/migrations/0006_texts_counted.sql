-- Schema 6: how many texts of each kind a group has, and how many terms they hold: BM25 weighs a text by those of its own group. The
-- mark of the group comes first (`group_mark` and `term_count` are the program's): groups that share one are found together.

CREATE TABLE group_texts (
    mark TEXT NOT NULL,
    group_id TEXT NOT NULL,
    target TEXT NOT NULL,
    texts INTEGER NOT NULL,
    terms INTEGER NOT NULL,
    PRIMARY KEY (mark, group_id, target)
) STRICT, WITHOUT ROWID;

INSERT INTO group_texts (mark, group_id, target, texts, terms)
SELECT group_mark(f.group_id), f.group_id, 'fact', count(*), sum(term_count(t.terms))
FROM fact f
JOIN fact_text t ON t.rowid = f.fact_no
GROUP BY f.group_id;

INSERT INTO group_texts (mark, group_id, target, texts, terms)
SELECT group_mark(e.group_id), e.group_id, 'entity', count(*), sum(term_count(t.terms))
FROM entity e
JOIN entity_text t ON t.rowid = e.entity_no
GROUP BY e.group_id;

INSERT INTO group_texts (mark, group_id, target, texts, terms)
SELECT group_mark(e.group_id), e.group_id, 'episode', count(*), sum(term_count(t.terms))
FROM episode e
JOIN episode_text t ON t.rowid = e.seq
GROUP BY e.group_id;

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('group_texts', 'group_texts', '30000 3 3 1');

-- Where each term stands: a row for each place in each text.
CREATE VIRTUAL TABLE fact_term USING fts5vocab (fact_text, instance);
CREATE VIRTUAL TABLE entity_term USING fts5vocab (entity_text, instance);
CREATE VIRTUAL TABLE episode_term USING fts5vocab (episode_text, instance);
