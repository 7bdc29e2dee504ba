-- settle_facts: settles claims by facts, each decided by rowlock.decide; rows that somebody else has locked are left alone
-- param 1 ids: bigint[]
-- param 2 claimNos: int[]
-- param 3 facts: jsonb[]
-- column 1 id: bigint
-- column 2 claimNo: int
-- column 3 answer: text
-- column 4 state: text?
-- column 5 runAt: us?
-- transition: running -> completed, retryable, scheduled, available, cancelled, discarded
-- index: job_pkey
-- answer: settled, refused (the fence) or locked (try again later: a row locked in somebody's transaction must not hold
-- up its batch). Rows are locked in id order, so that two batches cannot deadlock. settle() gets a null id, and so does
-- nothing, for rows that are not ours to lock.
with free as materialized (
  select j.id, j.claim_no from rowlock.job j where j.id = any ($1::bigint[]) order by j.id for update skip locked
)
select i.id, i.claim_no,
  case when s.state is not null then 'settled' when f.id is null and j.id is not null then 'locked' else 'refused' end,
  s.state, rowlock.to_us(s.run_at)
from unnest($1::bigint[], $2::integer[], $3::jsonb[]) as i (id, claim_no, fact)
left join free f on f.id = i.id
left join rowlock.job j on j.id = i.id and j.claim_no = i.claim_no
left join lateral rowlock.settle(case when f.claim_no = i.claim_no then i.id end, i.claim_no, i.fact) s on true;
