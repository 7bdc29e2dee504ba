-- Nothing is stuck: when all faults are over, everything ends.
select format('job %s (token %s) is still live: attempt %s, claim %s, claimed by %s since %s, due %s, parked %s; worker %s', j.id, j.args->>'token', j.attempt,
  j.claim_no, coalesce(j.claimed_by::text, 'nobody'), j.claimed_at, j.run_at, j.parked, coalesce(to_json(w)::text, 'none')) as detail
from rowlock.job j left join rowlock.worker w on w.id = j.claimed_by
order by j.id;
