-- What the engine tells of a claim is so: settled is settled, and lost is not what in truth was settled by it.
select format('process %s was told that claim %s of job %s is completed, and it is not', t.pid, t.claim_no, t.id) as detail
from chaos.told t
where t.event = 'settled' and t.outcome = 'completed' and not exists (
  select from chaos.place p where p.id = t.id and p.claim_no = t.claim_no and p.place = 'completed')
union all
select format('process %s was told that claim %s of job %s %s, and %s', t.pid, t.claim_no, t.id,
  case t.event when 'leaseLost' then 'is lost' else 'has an unknown end' end,
  case when p.place = 'completed' then 'it is completed' else 'its failure is stored' end)
from chaos.told t join chaos.place p on p.id = t.id
where t.event in ('leaseLost', 'outcomeUnknown')
  and ((p.place = 'completed' and p.claim_no = t.claim_no) or exists (
    select from jsonb_array_elements(coalesce(p.errors, '[]')) e
    where (e->>'claimNo')::integer = t.claim_no and e->>'code' is distinct from 'WORKER_LOST'));
