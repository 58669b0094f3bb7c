// Schema 1. Each statement may be run again: what is there under its name is left alone.
// Every key begins with group_id: what belongs to another group is never met on the way. Times are text of fixed width in UTC
// (2026-05-01T00:00:00.000000Z); an open end is 9999-12-31T23:59:59.999999Z, an open beginning 0001-01-01T00:00:00.000000Z.

CREATE CONSTRAINT graphmem_meta IF NOT EXISTS FOR (n:Meta) REQUIRE (n.id) IS UNIQUE;
CREATE CONSTRAINT graphmem_relation IF NOT EXISTS FOR (n:Relation) REQUIRE (n.name) IS UNIQUE;
CREATE CONSTRAINT graphmem_group IF NOT EXISTS FOR (n:Group) REQUIRE (n.id) IS UNIQUE;
CREATE CONSTRAINT graphmem_commit IF NOT EXISTS FOR (n:Commit) REQUIRE (n.group_id, n.tau) IS UNIQUE;
CREATE CONSTRAINT graphmem_job IF NOT EXISTS FOR (n:Job) REQUIRE (n.group_id, n.id) IS UNIQUE;
CREATE CONSTRAINT graphmem_episode IF NOT EXISTS FOR (n:Episode) REQUIRE (n.group_id, n.id) IS UNIQUE;
CREATE CONSTRAINT graphmem_entity IF NOT EXISTS FOR (n:Entity) REQUIRE (n.group_id, n.id) IS UNIQUE;
CREATE CONSTRAINT graphmem_name IF NOT EXISTS FOR (n:Name) REQUIRE (n.group_id, n.key) IS UNIQUE;
CREATE CONSTRAINT graphmem_fact IF NOT EXISTS FOR (n:Fact) REQUIRE (n.group_id, n.fact_id) IS UNIQUE;
CREATE CONSTRAINT graphmem_claim IF NOT EXISTS FOR (n:Claim) REQUIRE (n.group_id, n.id) IS UNIQUE;
CREATE CONSTRAINT graphmem_retraction IF NOT EXISTS FOR (n:Retraction) REQUIRE (n.group_id, n.id) IS UNIQUE;
CREATE CONSTRAINT graphmem_tombstone IF NOT EXISTS FOR (n:Tombstone) REQUIRE (n.group_id, n.kind, n.target_id) IS UNIQUE;
CREATE CONSTRAINT graphmem_version IF NOT EXISTS FOR ()-[n:FACT]-() REQUIRE (n.group_id, n.version_id) IS UNIQUE;

CREATE INDEX graphmem_job_id IF NOT EXISTS FOR (n:Job) ON (n.id);
CREATE INDEX graphmem_job_seq IF NOT EXISTS FOR (n:Job) ON (n.seq);
CREATE INDEX graphmem_job_order IF NOT EXISTS FOR (n:Job) ON (n.group_id, n.seq);
CREATE INDEX graphmem_job_ready IF NOT EXISTS FOR (n:Job) ON (n.state, n.run_after, n.seq);
CREATE INDEX graphmem_job_group IF NOT EXISTS FOR (n:Job) ON (n.group_id, n.state, n.run_after);
CREATE INDEX graphmem_episode_time IF NOT EXISTS FOR (n:Episode) ON (n.group_id, n.said_at, n.seq);
CREATE INDEX graphmem_claim_subject IF NOT EXISTS FOR (n:Claim) ON (n.group_id, n.subject, n.relation, n.object);
CREATE INDEX graphmem_claim_object IF NOT EXISTS FOR (n:Claim) ON (n.group_id, n.object, n.relation);
CREATE INDEX graphmem_support IF NOT EXISTS FOR ()-[n:SUPPORTS]-() ON (n.group_id, n.version_id, n.expired_at);
CREATE INDEX graphmem_version_fact IF NOT EXISTS FOR ()-[n:FACT]-() ON (n.group_id, n.fact_id, n.expired_at);
CREATE INDEX graphmem_version_slot IF NOT EXISTS FOR ()-[n:FACT]-() ON (n.group_id, n.subject, n.relation, n.expired_at);
CREATE INDEX graphmem_version_out IF NOT EXISTS FOR ()-[n:FACT]-() ON (n.group_id, n.subject, n.expired_at);
CREATE INDEX graphmem_version_in IF NOT EXISTS FOR ()-[n:FACT]-() ON (n.group_id, n.object, n.expired_at);
CREATE INDEX graphmem_version_created IF NOT EXISTS FOR ()-[n:FACT]-() ON (n.group_id, n.created_at);
CREATE INDEX graphmem_version_expired IF NOT EXISTS FOR ()-[n:FACT]-() ON (n.group_id, n.expired_at);

// What waits for a vector; the property goes when it has one, and with it the entry.
CREATE INDEX graphmem_fact_waits IF NOT EXISTS FOR (n:Fact) ON (n.waits, n.group_id, n.fact_id);
CREATE INDEX graphmem_entity_waits IF NOT EXISTS FOR (n:Entity) ON (n.waits, n.group_id, n.id);
CREATE INDEX graphmem_episode_waits IF NOT EXISTS FOR (n:Episode) ON (n.waits, n.group_id, n.id);

// Our own terms, blank between them; the group is a field of its own, so that it does not count as a word of the text.
CREATE FULLTEXT INDEX graphmem_fact_text IF NOT EXISTS FOR (n:Fact) ON EACH [n.terms, n.group_term]
OPTIONS {indexConfig: {`fulltext.analyzer`: 'whitespace', `fulltext.eventually_consistent`: false}};
CREATE FULLTEXT INDEX graphmem_entity_text IF NOT EXISTS FOR (n:Entity) ON EACH [n.terms, n.group_term]
OPTIONS {indexConfig: {`fulltext.analyzer`: 'whitespace', `fulltext.eventually_consistent`: false}};
CREATE FULLTEXT INDEX graphmem_episode_text IF NOT EXISTS FOR (n:Episode) ON EACH [n.terms, n.group_term]
OPTIONS {indexConfig: {`fulltext.analyzer`: 'whitespace', `fulltext.eventually_consistent`: false}};
