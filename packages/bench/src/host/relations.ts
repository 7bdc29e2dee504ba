import type { Client } from 'pg';

/** A table, an index or what holds long values of a table, and how many bytes it takes. */
export interface Relation {
  readonly name: string;
  readonly bytes: number;
  /** As a copy of its rows takes that was made just now. */
  readonly freshBytes: number;
}

const userRelations = `
  with own as (
    select c.oid, c.reltoastrelid from pg_class c
    where c.relkind = 'r' and c.relnamespace not in (select n.oid from pg_namespace n where n.nspname in ('pg_catalog', 'information_schema'))
      and c.relnamespace <> 'pg_toast'::regnamespace
  ), heaps as (
    select oid, oid as of from own union all select reltoastrelid, oid from own where reltoastrelid <> 0
  ), all_of as (
    select oid, of from heaps union all select i.indexrelid, h.of from pg_index i join heaps h on h.oid = i.indrelid
  )`;

const sizes = `${userRelations}
  select case when c.relnamespace = 'pg_toast'::regnamespace then a.of::regclass::text || case c.relkind when 'i' then ' (toast index)' else ' (toast)' end
      else a.oid::regclass::text end as name,
    pg_relation_size(a.oid) as bytes
  from all_of a join pg_class c on c.oid = a.oid order by 1`;

/** Compares every relation with a fresh copy, which then takes its place; nobody may use the database meanwhile. */
export async function compareWithFresh(client: Client): Promise<Relation[]> {
  const before = await sizesOf(client);
  await client.query('vacuum full');
  const after = new Map((await sizesOf(client)).map(({ name, bytes }) => [name, bytes]));
  return before.map(({ name, bytes }) => ({ name, bytes, freshBytes: after.get(name) ?? NaN }));
}

async function sizesOf(client: Client): Promise<Omit<Relation, 'freshBytes'>[]> {
  const { rows } = await client.query<{ name: string; bytes: string }>(sizes);
  return rows.map(({ name, bytes }) => ({ name, bytes: Number(bytes) }));
}
