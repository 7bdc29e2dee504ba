-- Attempts: never more than allowed, and each is accounted for by a failure of the handler or a lost worker. Snoozes and
-- releases are refunded.
select format('job %s started attempt %s of %s', s.id, s.attempt, f.max_attempts) as detail
from chaos.started s join chaos.fate f on f.token = s.token
where s.attempt > f.max_attempts or s.attempt < 1
union all
select format('job %s (%s) counts attempt %s with %s crashes; its handlers failed %s times, of which %s are surely stored',
  p.id, p.place, p.attempt, p.crashes, own.failed, own.stored)
from chaos.place p
cross join lateral (
  select count(*) filter (where e.result = 'failed') as failed,
    count(*) filter (where e.result = 'failed' and exists (
      select from chaos.told t where t.id = e.id and t.claim_no = e.claim_no and t.event = 'settled' and t.outcome = 'failed')) as stored
  from chaos.ended e where e.id = p.id
) own
where p.place = 'completed' and p.attempt - 1 - p.crashes not between own.stored and own.failed;
