-- What ended a job is the last claim of it that anybody saw, and its handler had succeeded before.
select format('job %s is completed by claim %s, and claim %s started', p.id, p.claim_no, max(s.claim_no)) as detail
from chaos.place p join chaos.started s on s.id = p.id
where p.place = 'completed'
group by p.id, p.claim_no having max(s.claim_no) <> p.claim_no
union all
select format('job %s is %s by claim %s, and claim %s started', p.id, p.place, p.claim_no, max(s.claim_no))
from chaos.place p join chaos.started s on s.id = p.id
where p.place <> 'completed'
group by p.id, p.place, p.claim_no having max(s.claim_no) > p.claim_no
union all
select format('job %s is completed by claim %s, and no handler says so', p.id, p.claim_no)
from chaos.place p
where p.place = 'completed' and not exists (
  select from chaos.ended e where e.id = p.id and e.claim_no = p.claim_no and e.result = 'completed');
