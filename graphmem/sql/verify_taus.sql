-- Groups whose last transaction time is not that of their last receipt.
SELECT g.group_id FROM group_state g
WHERE g.tau <> coalesce((SELECT max(t.tau) FROM tx t WHERE t.group_id = g.group_id), -62135596800000000)
ORDER BY g.group_id
