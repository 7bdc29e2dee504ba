-- Where a fault is one that must cost nothing: no attempt is burnt, no claim lost, no job run by two at once.
select format('job %s (%s) counts attempt %s with %s crashes, and its handlers failed %s times', p.id, p.place, p.attempt, p.crashes, own.failed) as detail
from chaos.place p
cross join lateral (select count(*) as failed from chaos.ended e where e.id = p.id and e.result = 'failed') own
where (select lossless from chaos.setting) and p.place <> 'live'
  and (p.crashes > 0 or p.attempt - case p.place when 'completed' then 1 else 0 end > own.failed)
union all
select format('process %s was refused the end of claim %s of job %s', t.pid, t.claim_no, t.id)
from chaos.told t
where (select lossless from chaos.setting) and t.event = 'leaseLost'
union all
select format('job %s ran twice at once: claim %s from %s, and claim %s from %s before the former had ended', a.id, a.claim_no, a.at, b.claim_no, b.at)
from chaos.started a join chaos.started b on b.id = a.id and b.claim_no > a.claim_no
left join chaos.ended e on e.id = a.id and e.claim_no = a.claim_no
where (select lossless from chaos.setting) and b.mono < coalesce(e.mono, 'infinity');
