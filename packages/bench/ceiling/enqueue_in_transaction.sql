-- One job stored in a transaction that also writes a business row: what the caller of an enqueue with `tx` pays at least.
-- pgbench variable: args.
begin;
insert into ceiling.orders (note) values ('paid');
insert into ceiling.job (queue, kind, priority, run_at, created_at, args)
values ('default', 'bench', 5, clock_timestamp(), clock_timestamp(), ':args');
commit;
