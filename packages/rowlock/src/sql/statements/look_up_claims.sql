-- look_up_claims: says what became of claims whose settle was refused or had an unknown outcome
-- param 1 ids: bigint[]
-- param 2 claimNos: int[]
-- param 3 runAts: us[]
-- column 1 id: bigint
-- column 2 claimNo: int
-- column 3 found: text
-- index: job_pkey, finished_id, discarded_pkey
-- found: ours (this claim ended and history has it), held (this claim still stands), returned (given back, not claimed
-- again), lost (ended by or for somebody else), gone (no trace: not kept, or deleted).
select i.id, i.claim_no,
  case
    when j.id is not null then case when j.claim_no <> i.claim_no then 'lost' when j.claimed_by is not null then 'held' else 'returned' end
    when exists (select from rowlock.finished f where f.id = i.id and f.finished_at >= rowlock.from_us(i.run_at) and f.claim_no = i.claim_no)
      or exists (select from rowlock.discarded d where d.id = i.id and d.claim_no = i.claim_no) then 'ours'
    when exists (select from rowlock.finished f where f.id = i.id and f.finished_at >= rowlock.from_us(i.run_at)) or exists (select from rowlock.discarded d where d.id = i.id) then 'lost'
    else 'gone'
  end
from unnest($1::bigint[], $2::integer[], $3::bigint[]) as i (id, claim_no, run_at)
left join rowlock.job j on j.id = i.id;
