-- pause_kind: pauses or resumes a kind that some process has defined
-- param 1 name: text
-- param 2 paused: boolean
-- column 1 name: text
-- transition: none
-- index: kind_pkey
update rowlock.kind k set paused = $2::boolean, updated_at = clock_timestamp() where k.name = $1::text returning k.name;
