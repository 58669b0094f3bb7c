-- The rank of a single term is its BM25; the lower, the better.
SELECT t.rowid AS no, t.rank AS rank FROM fact_text t WHERE t.fact_text MATCH :term ORDER BY t.rowid
