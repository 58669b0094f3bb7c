DELETE FROM unembedded
