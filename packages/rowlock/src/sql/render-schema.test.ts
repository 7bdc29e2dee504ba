import assert from 'node:assert/strict';
import { test } from 'node:test';
import { quoteIdentifier, quoteLiteral, renderSchema } from './render-schema.js';

const odd = `it's "x"`;
const oddIdentifier = `"it's ""x"""`;
const oddInLiteral = `"it''s ""x"""`;

function renders(text: string, expected: string, schema = odd): void {
  assert.equal(renderSchema(text, schema), expected);
}

test('the schema as written is left alone', () => {
  const text = "select 'rowlock.job'::regclass from rowlock.job";
  assert.equal(renderSchema(text, 'rowlock'), text);
});

test('a qualifier is replaced, an identifier that only contains the name is not', () => {
  renders(
    'select * from rowlock.job j join x.rowlock.y',
    `select * from ${oddIdentifier}.job j join x.rowlock.y`,
  );
  renders(
    'my_rowlock.x, rowlocks.y, rowlock_z.a, "rowlock.b", rowlock',
    'my_rowlock.x, rowlocks.y, rowlock_z.a, "rowlock.b", rowlock',
  );
});

test('comments and plain strings are left alone', () => {
  const text =
    "-- rowlock.a\n/* rowlock.b /* rowlock.c */ rowlock.d */ select 'rowlock.e', 'it''s rowlock.f', e'\\'rowlock.g'";
  renders(text, text);
});

test('literals that name a relation, a function or the schema are replaced', () => {
  renders("'rowlock.job'::regclass", `'${oddInLiteral}.job'::regclass`);
  renders("nextval('rowlock.idle')", `nextval('${oddInLiteral}.idle')`);
  renders("setval( 'rowlock.idle', 1)", `setval( '${oddInLiteral}.idle', 1)`);
  renders(
    "'rowlock.settle(bigint, rowlock.fact)'::regprocedure",
    `'${oddInLiteral}.settle(bigint, ${oddInLiteral}.fact)'::regprocedure`,
  );
  renders("cast('rowlock.job' as regclass)", `cast('${oddInLiteral}.job' as regclass)`);
  renders("'rowlock'::regnamespace", `'${oddInLiteral}'::regnamespace`);
  renders("'rowlock.job'::text", "'rowlock.job'::text");
});

test('the schema standing alone is replaced after the word schema and in a search path', () => {
  renders('create schema if not exists rowlock', `create schema if not exists ${oddIdentifier}`);
  renders('grant usage on schema rowlock to x', `grant usage on schema ${oddIdentifier} to x`);
  renders('set search_path = rowlock, pg_temp', `set search_path = ${oddIdentifier}, pg_temp`);
});

test('dollar bodies are code, with literals of their own', () => {
  renders(
    "as $body$ begin perform nextval('rowlock.idle'); raise 'rowlock.x'; return rowlock.f($1); end $body$",
    `as $body$ begin perform nextval('${oddInLiteral}.idle'); raise 'rowlock.x'; return ${oddIdentifier}.f($1); end $body$`,
  );
  renders(
    'do $$ begin execute $q$ truncate rowlock.a $q$; end $$',
    `do $$ begin execute $q$ truncate ${oddIdentifier}.a $q$; end $$`,
  );
});

test('a name that holds the tag of a body gets another tag', () => {
  renders('do $$ select rowlock.f() $$', 'do $rowlock_1$ select "a$$b".f() $rowlock_1$', 'a$$b');
});

test('dynamic SQL is code, and a percent sign survives format()', () => {
  renders("execute 'truncate rowlock.a'", `execute 'truncate ${oddInLiteral}.a'`);
  renders("execute format('truncate rowlock.%I', leaf)", `execute format('truncate "5%%".%I', leaf)`, '5%');
  renders(
    "execute 'truncate ' || 'rowlock.a_' || n using 'rowlock.b'; x := 'rowlock.c'",
    `execute 'truncate ' || '${oddInLiteral}.a_' || n using 'rowlock.b'; x := 'rowlock.c'`,
  );
  renders(
    "execute format('create table %s', 'rowlock.a_' || n)",
    "execute format('create table %s', '\"5%\".a_' || n)",
    '5%',
  );
  renders(
    "raise exception using message = format('rowlock.enqueue: %s', x)",
    "raise exception using message = format('rowlock.enqueue: %s', x)",
  );
});

test('identifiers of up to 63 bytes are quoted, others refused', () => {
  assert.equal(quoteIdentifier('a"b'), '"a""b"');
  assert.equal(quoteIdentifier('ü'.repeat(31)), `"${'ü'.repeat(31)}"`);
  assert.throws(() => quoteIdentifier('ü'.repeat(32)), RangeError);
  assert.throws(() => quoteIdentifier(''), RangeError);
  assert.throws(() => quoteIdentifier('a\0b'), RangeError);
});

test('a literal with a backslash does not depend on the session', () => {
  assert.equal(quoteLiteral("it's"), "'it''s'");
  assert.equal(quoteLiteral("a\\'b"), " E'a\\\\''b'");
});
