INSERT INTO episode_text (episode_text) VALUES ('optimize')
