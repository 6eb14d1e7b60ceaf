/** The keys of the simulated accounts, where they are assigned to, and the budgets of these places. */
import { zoneOffsets } from '../../../shared/days-of-zone.ts';
import { type BudgetLevelName, type Budgets, noBudgets, scopeName } from '../../../shared/limits/budget-levels.ts';
import type { SpendLimitName } from '../../../shared/limits/spend-limits.ts';
import type { ZoneOffsets } from '../../../shared/limits/zone-offsets.ts';
import { noKeyLimits } from '../../../shared/wallet/key-limits.ts';
import type { PublishedKey } from '../../../shared/wallet/wallet-keeper.ts';

/** Ids of the second keys are so much higher. */
const secondKey = 1_000;

export interface KeyName {
  readonly accountId: number;
  readonly keyId: number;
  readonly hash: string;
}

/** The first or the second key of an account. */
export function keyNamed(accountId: number, index = 0): KeyName {
  const hash = index === 0 ? `key-of-${accountId}` : `key-of-${accountId}-${index}`;
  return { accountId, keyId: accountId + index * secondKey, hash };
}

interface Place {
  readonly projectId: number | null;
  readonly userId: number | null;
}

interface KeyState extends Place {
  readonly name: KeyName;
  readonly version: number;
  readonly active: boolean;
  readonly assignmentId: number | null;
}

export class SimulatedKeys {
  /** By the number that charges carry: where their key was. */
  readonly assignments = new Map<number, Place & { readonly keyId: number }>();
  readonly #keys = new Map<number, KeyState>();
  /** By the name of the scope. */
  readonly #budgets = new Map<string, Budgets>();
  readonly #timeZones = new Map<number, string>();
  #nextAssignment = 10_000;

  constructor(accountIds: readonly number[], { keysEach }: { keysEach: number }) {
    for (const accountId of accountIds) {
      for (let index = 0; index < keysEach; index += 1) {
        const name = keyNamed(accountId, index);
        const place = { projectId: null, userId: null };
        this.#keys.set(name.keyId, { name, version: 1, active: true, assignmentId: null, ...place });
        this.assignments.set(name.keyId, { keyId: name.keyId, ...place });
      }
    }
  }

  of(accountId: number): KeyState[] {
    return [...this.#keys.values()].filter(({ name }) => name.accountId === accountId);
  }

  get(keyId: number): KeyState {
    const key = this.#keys.get(keyId);
    if (key === undefined) throw new Error(`no key ${keyId}`);
    return key;
  }

  activate(accountId: number, active: boolean): void {
    for (const key of this.of(accountId)) this.#change(key, { active });
  }

  move(keyId: number, place: Place): void {
    const assignmentId = this.#nextAssignment;
    this.#nextAssignment += 1;
    this.assignments.set(assignmentId, { keyId, ...place });
    this.#change(this.get(keyId), { ...place, assignmentId });
  }

  setBudget(scope: string, period: SpendLimitName, amountNano: bigint | null): void {
    this.#budgets.set(scope, { ...(this.#budgets.get(scope) ?? noBudgets), [period]: amountNano });
  }

  setTimeZone(accountId: number, timeZone: string): void {
    this.#timeZones.set(accountId, timeZone);
  }

  zoneOf(accountId: number, nowMs: number): ZoneOffsets {
    return zoneOffsets(this.#timeZones.get(accountId) ?? 'UTC', new Date(nowMs));
  }

  /** Those that are to be published again, all of them for a change that concerns all. */
  touch(accountId: number): void {
    for (const key of this.of(accountId)) this.#change(key, {});
  }

  /** The scopes of a key as it is now, by level. */
  scopesOf({ name: { accountId, keyId }, projectId, userId }: KeyState): Partial<Record<BudgetLevelName, string>> {
    const named = (level: BudgetLevelName, id: number) => scopeName({ level, accountId, id });
    return {
      key: named('key', keyId),
      organization: named('organization', accountId),
      ...(projectId !== null && { project: named('project', projectId) }),
      ...(userId !== null && { member: named('member', userId) }),
    };
  }

  /** Every budget that a key is judged by. */
  budgetsOf(key: KeyState): [scope: string, period: SpendLimitName, amountNano: bigint][] {
    return Object.values(this.scopesOf(key)).flatMap((scope) =>
      Object.entries(this.#budgets.get(scope) ?? noBudgets).flatMap(([period, amount]) =>
        amount === null ? [] : [[scope, period as SpendLimitName, amount] as [string, SpendLimitName, bigint]],
      ),
    );
  }

  published(key: KeyState, nowMs: number): PublishedKey {
    const { name, version, active, assignmentId, projectId, userId } = key;
    const of = (scope: string | undefined) =>
      scope === undefined ? noBudgets : (this.#budgets.get(scope) ?? noBudgets);
    const { key: own, member, project, organization } = this.scopesOf(key);
    return {
      ...{ id: name.keyId, accountId: name.accountId, hash: name.hash, version, active },
      ...{ deleted: false, addressProven: true, expiresAt: null, allowedModels: null },
      assignment: { id: assignmentId, projectId, userId },
      zone: this.zoneOf(name.accountId, nowMs),
      limits: {
        ...noKeyLimits,
        spendNano: of(own),
        budgetsNano: { member: of(member), project: of(project), organization: of(organization) },
      },
    };
  }

  #change(key: KeyState, change: Partial<KeyState>): void {
    this.#keys.set(key.name.keyId, { ...key, ...change, version: this.get(key.name.keyId).version + 1 });
  }
}
