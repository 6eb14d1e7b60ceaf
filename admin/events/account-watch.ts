/**
 * What has happened to accounts since the last look: two indexed reads for all of them, and one more for each account that
 * has changed. The ledger is polled instead of notifying, so that booking charges costs nothing for it, and it
 * does not matter which replica books them.
 */
import type { Sql } from 'postgres';
import { type NanoUsd, nanoUsd } from '../../shared/money.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { type ListedRequest, listRequests } from '../ledger/queries/list-requests.ts';

export interface AccountState {
  readonly balanceNano: NanoUsd;
  readonly creditedNano: NanoUsd;
  readonly spentNano: NanoUsd;
}

export interface AccountUpdate {
  readonly accountId: number;
  /** Undefined if it is the same as before. */
  readonly state: AccountState | undefined;
  /** Oldest first. Of very many, only the newest. */
  readonly requests: readonly ListedRequest[];
}

interface StateRow {
  readonly id: string;
  readonly balance: string;
  readonly credited: string;
  readonly spent: string;
  readonly usage: string;
}

interface Seen {
  readonly money: string;
  readonly usage: string;
  readonly requests: ReadonlySet<string>;
}

/** How many requests of an account are sent at a time. */
const requestsMax = 20;
/** A charge is booked within moments; after an outage clients read the list. */
const lookBackMs = 30 * 60_000;

export class AccountWatch {
  readonly #ledger: Ledger & { readonly sql: Sql };
  readonly #seen = new Map<number, Seen>();

  constructor(ledger: Ledger & { readonly sql: Sql }) {
    this.#ledger = ledger;
  }

  /** Nothing is new about an account that was not among the last ones. */
  async look(accountIds: readonly number[]): Promise<AccountUpdate[]> {
    const watched = new Set(accountIds);
    for (const id of this.#seen.keys()) if (!watched.has(id)) this.#seen.delete(id);
    const since = new Date(Date.now() - lookBackMs);
    const news: AccountUpdate[] = [];
    for (const row of await readStates(this.#ledger.sql, accountIds, since)) {
      const found = await this.#compare(row, since);
      if (found !== undefined) news.push(found);
    }
    return news;
  }

  async #compare(row: StateRow, since: Date): Promise<AccountUpdate | undefined> {
    const accountId = Number(row.id);
    const before = this.#seen.get(accountId);
    const money = `${row.balance} ${row.credited} ${row.spent}`;
    if (before !== undefined && before.money === money && before.usage === row.usage) return undefined;
    const newest = before?.usage === row.usage ? undefined : await this.#readNewest(accountId, since);
    const requests = newest === undefined ? (before?.requests ?? new Set()) : new Set(newest.map(nameOf));
    this.#seen.set(accountId, { money, usage: row.usage, requests });
    if (before === undefined) return undefined;
    return {
      accountId,
      state: before.money === money ? undefined : stateOf(row),
      requests: (newest ?? []).filter((request) => !before.requests.has(nameOf(request))).reverse(),
    };
  }

  #readNewest(accountId: number, from: Date): Promise<ListedRequest[]> {
    const filter = { accountId, keyId: undefined, model: undefined, from, to: undefined, behind: undefined };
    return listRequests(this.#ledger, filter, requestsMax);
  }
}

const nameOf = ({ event }: ListedRequest) => `${event.requestId} ${event.rank}`;

function stateOf({ balance, credited, spent }: StateRow): AccountState {
  return {
    balanceNano: nanoUsd(BigInt(balance)),
    creditedNano: nanoUsd(BigInt(credited)),
    spentNano: nanoUsd(BigInt(spent)),
  };
}

/** `usage` changes with every charge, also with one of nothing. */
function readStates(sql: Sql, accountIds: readonly number[], since: Date): Promise<StateRow[]> {
  return sql<StateRow[]>`
    SELECT accounts.id, balance_nano AS balance, credited_nano AS credited, spent_nano AS spent, recent.usage
    FROM accounts CROSS JOIN LATERAL (
      SELECT concat(sum(requests), ' ', sum(cost_nano), ' ', max(last_charged_at)) AS usage FROM usage_totals
      WHERE account_id = accounts.id AND bucket_15m >= ${since}
    ) AS recent
    WHERE accounts.id = ANY(${[...accountIds]}::bigint[])`;
}
