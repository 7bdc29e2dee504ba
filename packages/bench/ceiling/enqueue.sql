-- One commit that stores :rows jobs. pgbench variables: rows, args (JSON text without a quote in it).
insert into ceiling.job (queue, kind, priority, run_at, created_at, args)
select 'default', 'bench', 5, s.now, s.now, ':args'::jsonb
from (select clock_timestamp() as now) s, generate_series(1, :rows);
