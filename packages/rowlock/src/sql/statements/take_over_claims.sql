-- take_over_claims: moves claims of an ended incarnation to the one that follows it; claim_no, the fence, stays
-- param 1 ids: bigint[]
-- param 2 claimNos: int[]
-- param 3 fromWorkerId: bigint
-- param 4 toWorkerId: bigint
-- column 1 id: bigint
-- transition: none
-- index: job_pkey
update rowlock.job j set claimed_by = $4::bigint
from unnest($1::bigint[], $2::integer[]) as s (id, claim_no)
where j.id = s.id and j.claim_no = s.claim_no and j.claimed_by = $3::bigint
returning j.id;
