/** Inserts the immutable events of charges; compact ones are the lines of a journal as well. */
import type { TransactionSql } from 'postgres';
import { isLater, storedCount, type Unit, units } from '../../../shared/usage/billable-units.ts';
import { arrayLiteral, type Item } from '../../database/array-literal.ts';
import type { ValuesOfCharges } from './name-values.ts';
import type { Posting } from './plan-postings.ts';

/** Events whose lines are inserted separately. */
export async function insertEvents(
  transaction: TransactionSql,
  postings: readonly Posting[],
  values: ValuesOfCharges,
): Promise<void> {
  const { names, select } = selectEvents(transaction, { postings, values, areSparse: false });
  await transaction`INSERT INTO usage_events (${names}) SELECT ${select}`;
}

/**
 * Events that are lines: those that have booked something share a journal, which the gateway's revenue completes. Call it
 * with the accounts locked, so that the lines of each are numbered in the order in which they are committed.
 */
export async function insertCompactEvents(
  transaction: TransactionSql,
  postings: readonly Posting[],
  values: ValuesOfCharges,
): Promise<void> {
  const { names, select } = selectEvents(transaction, { postings, values, areSparse: true });
  const booked = arrayLiteral(postings.map(({ differenceNano }) => differenceNano));
  const revenueNano = postings.reduce((sum, { differenceNano }) => sum + differenceNano, 0n);
  const isAnyBooked = postings.some(({ differenceNano }) => differenceNano !== 0n);
  await transaction`
    WITH journal AS (
      INSERT INTO journals (type, reason) SELECT 'usage', 'inference' WHERE ${isAnyBooked} RETURNING id
    ), revenue AS (
      INSERT INTO ledger_lines (journal_id, type, book, amount_nano, description)
      SELECT id, 'usage', 'revenue', ${String(revenueNano)}::bigint, 'inference' FROM journal
    )
    INSERT INTO usage_events (${names}, booked_nano, journal_id, line_id)
    SELECT event.*,
      CASE WHEN booked_nano <> 0 THEN journal.id END,
      CASE WHEN booked_nano <> 0 THEN nextval('ledger_lines_id_seq') END
    FROM (SELECT ${select}, unnest(${booked}::bigint[]) AS booked_nano) AS event
    LEFT JOIN journal ON true`;
}

interface Column {
  readonly name: string;
  /** Of its values in Postgres. An `instant` is a number of milliseconds, which is exact to the microsecond. */
  readonly type: 'uuid' | 'smallint' | 'integer' | 'bigint' | 'bigint[]' | 'text' | 'boolean' | 'instant';
  readonly of: (charge: Posting['charge'], values: ValuesOfCharges) => Item;
}

interface RareColumn extends Column {
  /** What nearly every charge has: null in a compact event, unless the column is always stored. */
  readonly usual: number | bigint | '' | false | null;
  readonly alwaysStored?: true;
}

const ownColumns: readonly Column[] = [
  { name: 'request_id', type: 'uuid', of: ({ requestId }) => requestId },
  { name: 'account_id', type: 'bigint', of: ({ accountId }) => accountId },
  { name: 'cost_nano', type: 'bigint', of: ({ costNano }) => costNano },
  { name: 'key_id', type: 'bigint', of: ({ keyId }) => keyId },
  { name: 'model', type: 'text', of: ({ detail }) => detail.model },
  { name: 'deployment', type: 'text', of: ({ detail }) => detail.deployment },
  { name: 'price_version', type: 'bigint', of: ({ detail }) => detail.priceVersion },
  ...unitColumns(isWhole),
  { name: 'epoch', type: 'bigint', of: ({ epoch }) => epoch },
  { name: 'wallet_seq', type: 'bigint', of: ({ walletSeq }) => walletSeq },
  { name: 'wallet_spent_nano', type: 'bigint', of: ({ walletSpentNano }) => walletSpentNano },
  { name: 'started_at', type: 'instant', of: ({ detail }) => detail.startedAtMs },
  { name: 'charged_at', type: 'instant', of: ({ chargedAt }) => chargedAt.getTime() },
];

/**
 * Where no charge of a batch has anything unusual in the columns of a group, they are constants of the statement, which are neither
 * written as text nor parsed for each charge. By groups: one by one there would be many statements, and each connection keeps the
 * plan of every one.
 */
const rareGroups: readonly (readonly RareColumn[])[] = [
  [
    { name: 'rank', type: 'smallint', of: ({ rank }) => rank, usual: 2, alwaysStored: true },
    { name: 'uncharged_nano', type: 'bigint', of: ({ unchargedNano }) => unchargedNano, usual: 0n },
    { name: 'variant', type: 'text', of: ({ detail }) => detail.variant, usual: '' },
    { name: 'estimated', type: 'boolean', of: ({ detail }) => detail.estimated, usual: false },
    { name: 'assignment_id', type: 'bigint', of: ({ assignmentId }) => assignmentId, usual: null },
  ],
  unitColumns((unit) => unit.unit === 'token' && !isWhole(unit) && !isLater(unit)),
  unitColumns((unit) => unit.unit === 'token' && isLater(unit)),
  unitColumns((unit) => unit.unit !== 'token'),
  [{ name: 'dimension_values', type: 'bigint[]', of: (charge, values) => listOf(values.get(charge)), usual: null }],
  [{ name: 'repeats', type: 'uuid', of: ({ detail }) => detail.repeats || null, usual: null }],
];

/** Tokens of which others are parts. */
function isWhole(unit: Unit): boolean {
  return unit.unit === 'token' && unit.partOf === undefined;
}

function unitColumns(areWanted: (unit: Unit) => boolean): RareColumn[] {
  return units.filter(areWanted).map((unit) => ({
    name: unit.column,
    type: 'integer',
    of: ({ detail }) => storedCount(unit, detail[unit.name]),
    usual: unit.storesCount === 'always' ? 0 : null,
  }));
}

/** Lists of different lengths are no array of two dimensions, so each is a text. */
function listOf(ids: readonly number[] | undefined): string | null {
  return ids === undefined ? null : arrayLiteral(ids);
}

interface Events {
  readonly postings: readonly Posting[];
  readonly values: ValuesOfCharges;
  /** Whether null stands for what is usual. Version 0.1.0 expects values. */
  readonly areSparse: boolean;
}

/** The columns that are inserted, and what is selected for them. */
function selectEvents(transaction: TransactionSql, { postings, values, areSparse }: Events) {
  const isUsual = ({ of, usual }: RareColumn) => postings.every(({ charge }) => of(charge, values) === usual);
  const rare = Map.groupBy(rareGroups, (group) => group.every(isUsual));
  const [constants = [], unusual = []] = [rare.get(true)?.flat(), rare.get(false)?.flat()];
  const isNull = ({ alwaysStored }: RareColumn) => areSparse && !alwaysStored;
  const sparse = unusual.map((column) => (isNull(column) ? { ...column, of: unlessUsual(column) } : column));
  const spread = [...ownColumns, ...sparse];
  const itemsOf = ({ of }: Column) => arrayLiteral(postings.map(({ charge }) => of(charge, values)));
  const literalOf = (column: RareColumn) => (isNull(column) ? null : column.usual === '' ? "''" : column.usual);
  const selected = [
    ...spread.map((column) => unnest(transaction, column, itemsOf(column))),
    ...constants.map((column) => transaction.unsafe(`${literalOf(column)}::${column.type}`)),
  ];
  const listed = (parts: typeof selected) => parts.reduce((list, each) => transaction`${list}, ${each}`);
  const names = [...spread, ...constants].map(({ name }) => transaction`${transaction(name)}`);
  return { names: listed(names), select: listed(selected) };
}

function unlessUsual({ of, usual }: RareColumn): Column['of'] {
  return (charge, values) => {
    const item = of(charge, values);
    return item === usual ? null : item;
  };
}

function unnest(transaction: TransactionSql, { type }: Column, items: string) {
  if (type === 'instant') return transaction`to_timestamp(unnest(${items}::float8[]) / 1000)`;
  if (type === 'bigint[]') return transaction`unnest(${items}::text[])::bigint[]`;
  return transaction`unnest(${items}::${transaction.unsafe(type)}[])`;
}
