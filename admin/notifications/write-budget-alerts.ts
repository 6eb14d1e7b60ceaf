/**
 * Mails, and tells webhooks, that so much of a budget is spent, when a charge takes it past one of its thresholds: once for a
 * threshold and a period.
 * Runs inside the transaction that books the charge, after its totals, with the account locked.
 *
 * What was spent in the present period is kept with the budget, so that no charge adds up a month. It is added up once when a
 * period begins, and after a change of the budget or of the time zone: then what is still true is not said again, and what is no longer
 * true is forgotten.
 */
import type { TransactionSql } from 'postgres';
import { zoneOffsets } from '../../shared/days-of-zone.ts';
import type { BudgetLevelName, Scope } from '../../shared/limits/budget-levels.ts';
import { limitOf, type SpendLimitName, windowEnd, windowStart } from '../../shared/limits/spend-limits.ts';
import { formatUsd, nanoUsd } from '../../shared/money.ts';
import { notificationDefaults } from '../database/tables/notifications.ts';
import { sumScope } from '../keys/hydrate-spend.ts';
import { writeEventIn } from '../operations/webhook-events/write-event.ts';
import { alertRecipients, daysToSend } from './alert-sql.ts';

/** A charge, and what it changed the account's balance by. */
export interface CountedCharge {
  readonly accountId: number;
  readonly keyId: number;
  readonly assignmentId: number | null;
  readonly chargedAt: Date;
  readonly differenceNano: bigint;
}

interface BudgetRow {
  readonly id: string;
  readonly account_id: string;
  readonly level: Exclude<BudgetLevelName, 'key'>;
  readonly scope_id: string;
  readonly period: SpendLimitName;
  readonly amount_nano: string;
  readonly alerts_at: number[];
  readonly window_start: Date | null;
  readonly spent_nano: string;
  readonly alerted_percent: number;
  readonly time_zone: string;
}

interface Place {
  readonly project_id: string | null;
  readonly user_id: string | null;
}

const forever = new Date(0);

export async function writeBudgetAlerts(
  transaction: TransactionSql,
  charges: readonly CountedCharge[],
  at: Date,
): Promise<void> {
  const accountIds = [...new Set(charges.map(({ accountId }) => accountId))];
  const rows = await transaction<BudgetRow[]>`
    SELECT budgets.*, coalesce(settings.time_zone, 'UTC') AS time_zone
    FROM budgets LEFT JOIN organization_settings AS settings ON settings.account_id = budgets.account_id
    WHERE budgets.account_id = ANY(${accountIds}) AND cardinality(alerts_at) > 0`;
  if (rows.length === 0) return;
  const places = await readPlaces(transaction, charges);
  for (const row of rows) {
    const own = charges.filter((charge) => isWithin(charge, row, places.get(charge.assignmentId ?? charge.keyId)));
    if (own.length > 0) await judge(transaction, row, { own, at });
  }
}

/** Where keys were, by the number that charges carry. */
async function readPlaces(
  transaction: TransactionSql,
  charges: readonly CountedCharge[],
): Promise<ReadonlyMap<number, Place>> {
  const ids = [...new Set(charges.map(({ assignmentId, keyId }) => assignmentId ?? keyId))];
  const rows = await transaction<({ id: string } & Place)[]>`
    SELECT id, project_id, user_id FROM assignments WHERE id = ANY(${ids})`;
  return new Map(rows.map(({ id, ...place }) => [Number(id), place]));
}

function isWithin({ accountId }: CountedCharge, budget: BudgetRow, place: Place | undefined): boolean {
  if (String(accountId) !== budget.account_id) return false;
  if (budget.level === 'organization') return true;
  return (budget.level === 'project' ? place?.project_id : place?.user_id) === budget.scope_id;
}

async function judge(
  transaction: TransactionSql,
  row: BudgetRow,
  { own, at }: { own: readonly CountedCharge[]; at: Date },
): Promise<void> {
  const newest = own.reduce((latest, { chargedAt }) => (chargedAt > latest ? chargedAt : latest), forever);
  const limit = limitOf(row.period);
  const zone = zoneOffsets(row.time_zone, newest);
  const start = limit.window === undefined ? forever : windowStart(limit, newest, zone);
  // Charges of a period that is over are late. After a change of the time zone the present one may begin earlier than before.
  if (row.window_start !== null && row.window_start > newest) return;
  const isSame = row.window_start?.getTime() === start.getTime();
  const added = sumSince(own, start);
  const since = limit.window === undefined ? undefined : start;
  const spent = isSame ? BigInt(row.spent_nano) + added : await sumScope(transaction, scopeOf(row), since);
  const alerted = isSame ? row.alerted_percent : alertedBefore(row, spent - added);
  const reached = reachedBy(row, spent);
  await transaction`
    UPDATE budgets SET window_start = ${start}, spent_nano = ${String(spent)}::bigint,
      alerted_percent = ${Math.max(alerted, reached)}
    WHERE id = ${row.id}`;
  if (reached <= alerted) return;
  const resetsAt = limit.window === undefined ? null : windowEnd(limit, newest, zone).toISOString();
  await mail(transaction, row, { percent: reached, spent, resetsAt, at });
  await report(transaction, row, { percent: reached, spent, resetsAt });
}

/** Without a start, the period may be the one that was alerted of. If it is another one, nothing was spent in it before. */
function alertedBefore(row: BudgetRow, spentBefore: bigint): number {
  return row.window_start === null ? Math.min(row.alerted_percent, reachedBy(row, spentBefore)) : 0;
}

/** The highest threshold, or 0. */
function reachedBy({ alerts_at, amount_nano }: BudgetRow, spent: bigint): number {
  return alerts_at.findLast((percent) => spent * 100n >= BigInt(amount_nano) * BigInt(percent)) ?? 0;
}

const sumSince = (charges: readonly CountedCharge[], start: Date) =>
  charges.reduce((sum, { chargedAt, differenceNano }) => (chargedAt >= start ? sum + differenceNano : sum), 0n);

const scopeOf = ({ level, account_id, scope_id }: BudgetRow): Scope => ({
  level,
  accountId: Number(account_id),
  id: Number(scope_id),
});

interface Reached {
  readonly percent: number;
  readonly spent: bigint;
  readonly resetsAt: string | null;
  readonly at: Date;
}

const allPercent = 100;

/** To webhooks, whether or not the organization wants mails. */
async function report(
  transaction: TransactionSql,
  { account_id, level, scope_id, period, amount_nano }: BudgetRow,
  { percent, spent, resetsAt }: Omit<Reached, 'at'>,
): Promise<void> {
  await writeEventIn(transaction, Number(account_id), {
    type: percent >= allPercent ? 'budget.used_up' : 'budget.threshold',
    data: {
      ...{ level, scopeId: level === 'organization' ? null : Number(scope_id), period, percent },
      amountUsd: formatUsd(nanoUsd(BigInt(amount_nano))),
      spentUsd: formatUsd(nanoUsd(spent)),
      resetsAt,
    },
  });
}

/** To the contact and the additional alert addresses, as far as the organization wants alerts, and to the member. */
async function mail(
  transaction: TransactionSql,
  { account_id, level, scope_id, period, amount_nano, time_zone }: BudgetRow,
  { percent, spent, resetsAt, at }: Reached,
): Promise<void> {
  const data = {
    level,
    period,
    percent,
    amountNano: amount_nano,
    spentNano: String(spent),
    resetsAt,
    timeZone: time_zone,
  };
  await transaction`
    INSERT INTO mails (account_id, recipient, language, kind, data, next_attempt_at, give_up_at, created_at)
    SELECT accounts.id, recipient.email, coalesce(settings.language, ${notificationDefaults.language}), 'budget_alert',
      ${transaction.json(data)}::jsonb || jsonb_build_object('name', CASE ${level}::text
        WHEN 'project' THEN (SELECT name FROM projects WHERE id = ${scope_id})
        WHEN 'member' THEN (SELECT email FROM users WHERE id = ${scope_id})
        ELSE organization.name END) || recipient.data,
      ${at}::timestamptz, ${at}::timestamptz + make_interval(days => ${daysToSend}), ${at}::timestamptz
    FROM accounts
    JOIN organizations AS organization ON organization.id = accounts.id AND contact_email IS NOT NULL
    LEFT JOIN notification_settings AS settings ON settings.account_id = accounts.id
    CROSS JOIN LATERAL (
      ${alertRecipients(transaction)}
      UNION ALL
      SELECT users.email, '{}'::jsonb FROM users
      WHERE ${level} = 'member' AND users.id = ${scope_id} AND users.id <> contact_id AND users.deleted_at IS NULL
    ) AS recipient
    WHERE accounts.id = ${account_id} AND accounts.ownership <> 'unproven' AND coalesce(settings.email_enabled, ${notificationDefaults.emailEnabled})`;
}
