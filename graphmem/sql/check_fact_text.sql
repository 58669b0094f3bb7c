INSERT INTO fact_text (fact_text) VALUES ('integrity-check')
