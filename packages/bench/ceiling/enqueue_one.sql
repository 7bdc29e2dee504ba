-- One commit that stores one job. pgbench variables: args (JSON text without a quote in it).
insert into ceiling.job (queue, kind, priority, run_at, created_at, args)
values ('default', 'bench', 5, clock_timestamp(), clock_timestamp(), ':args');
