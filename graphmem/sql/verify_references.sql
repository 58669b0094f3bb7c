SELECT "table" AS child, parent, count(*) AS breaks FROM pragma_foreign_key_check GROUP BY child, parent ORDER BY child, parent
