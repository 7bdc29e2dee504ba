-- A job that can succeed does; one that cannot is discarded when its attempts are spent, and not before.
select format('job %s, meant to %s, is %s (%s) at attempt %s', p.id,
  case when f.failures >= f.max_attempts then 'fail' else 'succeed' end, p.place, coalesce(p.reason, ''), p.attempt) as detail
from chaos.place p join chaos.fate f on f.token = p.token
where p.place <> 'live' and case when f.failures >= f.max_attempts
  then p.place <> 'discarded' or p.reason <> 'MAX_ATTEMPTS' or p.attempt <> f.max_attempts
  else p.place <> 'completed' end;
