-- Nothing is doubled: a token has one job, and a job is in one place.
select format('token %s is in %s places: %s', p.token, count(*), string_agg(format('%s as job %s, claim %s', p.place, p.id, p.claim_no), '; ')) as detail
from chaos.place p
group by p.token having count(*) > 1
union all
select format('job %s is in %s places: %s', p.id, count(*), string_agg(p.place, ', '))
from chaos.place p
group by p.id having count(*) > 1;
