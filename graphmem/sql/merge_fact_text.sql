INSERT INTO fact_text (fact_text) VALUES ('optimize')
