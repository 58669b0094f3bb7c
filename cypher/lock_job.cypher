// Takes the group's lock, then reads.
MATCH (j:Job {group_id: $input.group_id, id: $input.job_id}) USING INDEX SEEK j:Job(group_id, id)
MATCH (g:Group {id: $input.group_id}) SET g.fence = g.fence + 0
WITH g
MATCH (j:Job {group_id: $input.group_id, id: $input.job_id}) RETURN properties(j) AS job
