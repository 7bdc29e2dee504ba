-- A job whose worker was lost runs again within the bound, and none is taken from a worker without a fault.
select format('job %s claim %s of process %s ran again after %s ms (claimable after %s ms); the bound is %s ms',
  r.id, r.claim_no, r.pid, round(r.started_again_ms), round(r.given_back_ms), s.bound_ms) as detail
from chaos.recovery r cross join chaos.setting s
where r.started_again_ms > s.bound_ms
union all
select format('job %s claim %s was taken from process %s at %s, before any fault struck', r.id, r.claim_no, r.pid, r.given_back_at)
from chaos.recovery r
where r.lost_at is null;
