-- A claim is settled at most once, and by its holder only.
select format('job %s claim %s was told to be settled %s times, in processes %s', t.id, t.claim_no, count(*), string_agg(format('%s (%s)', t.pid, t.outcome), ', ')) as detail
from chaos.told t
where t.event = 'settled'
group by t.id, t.claim_no having count(*) > 1
union all
select format('job %s remembers %s errors of claim %s', p.id, count(*), e->>'claimNo')
from chaos.place p cross join lateral jsonb_array_elements(coalesce(p.errors, '[]')) e
group by p.id, e->>'claimNo' having count(*) > 1
union all
select format('job %s claim %s is %s, and remembers an error of that claim', p.id, p.claim_no, p.place)
from chaos.place p
where p.place = 'completed' and exists (
  select from jsonb_array_elements(coalesce(p.errors, '[]')) e where (e->>'claimNo')::integer = p.claim_no)
union all
select format('job %s claim %s was settled (%s) by process %s, which had not started it', t.id, t.claim_no, t.outcome, t.pid)
from chaos.told t
where t.event = 'settled' and t.outcome <> 'release'
  and not exists (select from chaos.started s where s.id = t.id and s.claim_no = t.claim_no and s.pid = t.pid);
