SELECT count(*) AS items FROM unembedded
