-- look_up_claims: says what became of claims whose settle was refused or had an unknown outcome
-- param 1 ids: bigint[]
-- param 2 claimNos: int[]
-- param 3 claimedAts: us[] on the clock of the database; none can have ended before
-- column 1 id: bigint
-- column 2 claimNo: int
-- column 3 found: text
-- column 4 state: text?
-- transition: none
-- index: job_pkey, finished_id, discarded_pkey
-- found: ours (this claim ended and a trace of it is left), held (it still stands), returned (given back without a trace,
-- not claimed again), passed (given back without a trace, and claimed again or ended since), lost (given back for its lost
-- worker), gone (no trace of the job: not kept, or deleted). state: the one it is in now, null while it lives.
-- A clock that was set back by less than ten seconds since loses nothing.
with ended as materialized (
  select h.id, h.claim_no, h.state, h.errors
  from rowlock.find_ended($1::bigint[], rowlock.from_us((select min(t.claimed_at) from unnest($3::bigint[]) t (claimed_at))) - interval '10 seconds') h
)
select i.id, i.claim_no,
  case
    when j.claim_no = i.claim_no and j.claimed_by is not null then 'held'
    when own.code = 'WORKER_LOST' then 'lost'
    when own.claim_no is not null or coalesce(f.claim_no, d.claim_no) = i.claim_no then 'ours'
    when j.claim_no = i.claim_no then 'returned'
    when coalesce(j.id, f.id, d.id) is not null then 'passed'
    else 'gone'
  end,
  case when d.id is not null then 'discarded' else f.state end
from unnest($1::bigint[], $2::integer[]) as i (id, claim_no)
left join rowlock.job j on j.id = i.id
left join lateral (select h.id, h.claim_no, h.errors, h.state from ended h where j.id is null and h.id = i.id limit 1) f on true
left join rowlock.discarded d on d.id = i.id
left join lateral (
  select i.claim_no, e->>'code' as code from jsonb_array_elements(coalesce(j.errors, f.errors, d.errors)) e
  where (e->>'claimNo')::integer = i.claim_no limit 1
) own on true;
