MATCH (j:Job {group_id: $input.group_id, id: $input.job_id}) SET j += $input.values
