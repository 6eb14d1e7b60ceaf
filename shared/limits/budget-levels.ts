/**
 * Whose spending can be limited: the levels of budgets, each for every period of spend-limits.ts. What a request may cost is
 * judged at all of them at once. A row is a contract with every version, as there.
 *
 * The scripts and the dashboard read it too, so it is plain data.
 */
import { type PerSpendLimit, perSpendLimit, type SpendLimit, spendLimits } from './spend-limits.ts';

interface BudgetLevelRow {
  /** In /api, and on the command line. */
  readonly name: string;
  /** Of the names of scopes in Redis; none of keys. */
  readonly prefix: string;
  /** "The monthly budget of … does not cover the request". */
  readonly whose: string;
}

/** In the order in which they are shown, and checked: of two that are equally tight, the first is named. */
export const budgetLevels = [
  { name: 'key', prefix: '', whose: 'this API key' },
  { name: 'member', prefix: 'm', whose: 'the member whose API key this is' },
  { name: 'project', prefix: 'p', whose: 'the project of this API key' },
  { name: 'organization', prefix: 'o', whose: 'the organization' },
] as const satisfies readonly BudgetLevelRow[];

export type BudgetLevel = (typeof budgetLevels)[number];
export type BudgetLevelName = BudgetLevel['name'];
export type PerBudgetLevel<Value> = Readonly<Record<BudgetLevelName, Value>>;

/** A level and a period. */
export interface BudgetKind {
  readonly level: BudgetLevel;
  readonly limit: SpendLimit;
  /** In what is published with a key: `spendDay`, `projectDay`. */
  readonly published: string;
}

export const budgetKinds: readonly BudgetKind[] = budgetLevels.flatMap((level) =>
  spendLimits.map((limit) => ({ level, limit, published: publishedName(level, limit) })),
);

function publishedName({ name }: BudgetLevel, { name: period, published }: SpendLimit): string {
  return name === 'key' ? published : `${name}${period.charAt(0).toUpperCase()}${period.slice(1)}`;
}

/** The amounts of the budgets of one level; null is none. In nano-USD. */
export type Budgets = PerSpendLimit<bigint | null>;

export const noBudgets: Budgets = perSpendLimit(() => null);

/** Whose spending it is: an id of a key, a user, a project or an account. */
export interface Scope {
  readonly level: BudgetLevelName;
  readonly accountId: number;
  readonly id: number;
}

/** As `scopes_of` in spending.lua names it. */
export function scopeName({ level, accountId, id }: Scope): string {
  const { prefix } = budgetLevels.find(({ name }) => name === level) ?? { prefix: '' };
  return level === 'member' ? `${prefix}${accountId}:${id}` : `${prefix}${id}`;
}

/** The inverse; undefined for one of another account, or of a later version. */
export function parseScope(accountId: number, name: string): Scope | undefined {
  const [, prefix, first, second] = /^([a-z]?)(\d+)(?::(\d+))?$/.exec(name) ?? [];
  const level = budgetLevels.find((each) => each.prefix === prefix);
  const scope = level && { level: level.name, accountId, id: Number(second ?? first) };
  return scope && scopeName(scope) === name ? scope : undefined;
}
