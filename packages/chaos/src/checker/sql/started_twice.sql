-- A claim is given once: no handler starts twice for the same (id, claim_no).
select format('job %s claim %s started %s times, in processes %s', s.id, s.claim_no, count(*), string_agg(s.pid::text, ', ')) as detail
from chaos.started s
group by s.id, s.claim_no having count(*) > 1;
