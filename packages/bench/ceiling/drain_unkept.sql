-- As drain.sql, without history: settled rows are only deleted.
\if :batch < :batches
with settled as (
  delete from ceiling.job j where j.ctid = any (':tids'::tid[])
), claimed as (
  update ceiling.job j
  set claimed_by = :client_id, claimed_at = clock_timestamp(), claim_no = j.claim_no + 1, attempt = j.attempt + 1
  where j.ctid = any (array(
    select i.ctid from ceiling.job i
    where i.queue = 'default' and i.priority = 5 and not i.parked and i.claimed_by is null
      and (i.run_at, i.id) > (':at', :id) and i.run_at <= (select clock_timestamp())
    order by i.run_at, i.id limit 500 for no key update skip locked))
  returning j.ctid, j.run_at, j.id
)
select array_agg(ctid) as tids, max(run_at) as at, max(id) as id from claimed
\gset
\set batch :batch + 1
\else
delete from ceiling.job j where j.ctid = any (':tids'::tid[]);
\endif
