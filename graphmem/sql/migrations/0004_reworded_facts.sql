-- Schema 4: the text of a fact may be said anew, when an erasure takes away the name it was said with. What the fact states stays.

DROP TRIGGER fact_is_immutable;

CREATE TRIGGER fact_is_immutable BEFORE UPDATE ON fact
WHEN (new.fact_no, new.group_id, new.fact_id, new.subject, new.relation, new.object)
    IS NOT (old.fact_no, old.group_id, old.fact_id, old.subject, old.relation, old.object)
BEGIN
    SELECT raise(ABORT, 'what a fact states is never rewritten');
END;
