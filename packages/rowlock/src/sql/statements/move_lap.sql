-- move_lap: stores where the lap goes on, from the start again once it has passed the end of the table
-- param 1 position: bigint
-- column 1 position: bigint
-- transition: none
-- index: duty_pkey
update rowlock.duty d
set position = case when $1::bigint * current_setting('block_size')::bigint > pg_relation_size('rowlock.job'::regclass) then 0 else $1::bigint end
where d.name = 'lap'
returning d.position;
