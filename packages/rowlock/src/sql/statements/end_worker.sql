-- end_worker: marks an incarnation dead by its own process; what it still holds is left to rescue
-- param 1 workerId: bigint
-- param 2 swept: boolean
-- param 3 unstarted: boolean
-- column 1 workerId: bigint
-- transition: none
-- index: worker_pkey
-- swept: true when it surely holds nothing (graceful stop), so that nobody needs to sweep for it.
-- unstarted: true when its process goes on and has taken along all claims that it knows: the others never began.
update rowlock.worker w set dead_at = coalesce(w.dead_at, clock_timestamp()), unstarted = $3::boolean,
  swept_at = case when $2::boolean then clock_timestamp() else w.swept_at end
where w.id = $1::bigint
returning w.id;
