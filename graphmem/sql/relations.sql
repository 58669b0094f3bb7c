SELECT * FROM relation ORDER BY name
