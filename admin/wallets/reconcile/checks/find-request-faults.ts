/**
 * Finds requests whose state in Redis differs from the ledger: traces of a Redis that has lost writes. A fault counts
 * only if two readings agree on it, because a request may end between reading Redis and reading the ledger.
 */
import type { Sql } from 'postgres';
import { formatUsd, nanoUsd } from '../../../../shared/money.ts';
import { allShards, type Shard, shardOfAccount } from '../../../../shared/wallet/shard.ts';
import type { OpenHold } from '../../../../shared/wallet/wallet-auditor.ts';
import { leastRequestId } from '../../../database/partitions.ts';
import type { RequestFault, RequestFaultKind, Scope, Violation } from '../reconciliation.ts';
import { violationsMax } from '../reconciliation.ts';
import type { ReconcileServices } from './take-readings.ts';

/** How long Redis remembers outcomes. */
const outcomesKeptMs = 86_400_000;
const requestsAtOnce = 1_000;

export interface RequestFaultOptions {
  /** Between two readings. */
  readonly pauseMs: number;
  readonly signal?: AbortSignal | undefined;
}

export async function findRequestFaults(
  services: ReconcileServices,
  scope: Scope,
  { pauseMs, signal }: RequestFaultOptions,
): Promise<RequestFault[]> {
  const first = await readFaults(services, scope, signal);
  if (first.length === 0) return [];
  await Bun.sleep(pauseMs);
  return inBoth(first, await readFaults(services, scope, signal));
}

/** Those in both lists, with the same amount. */
export function inBoth(first: readonly RequestFault[], second: readonly RequestFault[]): RequestFault[] {
  const nameOf = ({ kind, requestId, amountNano }: RequestFault) => `${kind} ${requestId} ${amountNano}`;
  const seen = new Set(first.map(nameOf));
  return second.filter((fault) => seen.has(nameOf(fault)));
}

export function violationOf(fault: RequestFault): Violation {
  const { kind, requestId, accountId, amountNano } = fault;
  const message = `Request ${requestId}: ${messages[kind]} $${formatUsd(nanoUsd(amountNano))}.`;
  return { kind, subject: `request ${requestId}`, accountId, amountNano, message };
}

const messages: Record<RequestFaultKind, string> = {
  hold_of_booked_request: 'the ledger has charged it, but in Redis it still holds',
  hold_overstated: 'if its proxy died now, it would be charged more than it holds, by',
  estimate_differs: 'the estimate in Redis differs from the one the ledger has booked, by',
};

async function readFaults(
  services: ReconcileServices,
  { accountId }: Scope,
  signal: AbortSignal | undefined,
): Promise<RequestFault[]> {
  const shards = accountId === undefined ? allShards : [shardOfAccount(accountId)];
  const isMeant = (fault: { readonly accountId: number }) => accountId === undefined || fault.accountId === accountId;
  const faults: RequestFault[] = [];
  for (const shard of shards) {
    signal?.throwIfAborted();
    const holds = (await services.auditor.readHolds(shard)).filter(isMeant);
    faults.push(...holds.flatMap(overstatedHold), ...(await readBookedHolds(services.sql, holds)));
  }
  faults.push(...(await readWrongEstimates(services, accountId)));
  return faults.slice(0, violationsMax);
}

/** A hold restored by a renewal in a wallet that could not cover it holds nothing; that is no fault. */
function overstatedHold({ requestId, accountId, amountNano, progressNano }: OpenHold): RequestFault[] {
  if (amountNano === 0n || progressNano <= amountNano) return [];
  const excess = progressNano - amountNano;
  return [{ kind: 'hold_overstated', requestId, accountId, amountNano: excess, booked: undefined }];
}

async function readBookedHolds(sql: Sql, holds: readonly OpenHold[]): Promise<RequestFault[]> {
  const faults: RequestFault[] = [];
  for (const part of inParts(holds)) {
    const held = new Map(part.map((hold) => [hold.requestId, hold]));
    const rows = await sql<{ request_id: string; booked: string }[]>`
      SELECT request_id, rank || ':' || charged_nano AS booked FROM charged_requests
      WHERE request_id = ANY(${[...held.keys()]}::uuid[])`;
    for (const { request_id: requestId, booked } of rows) {
      const { accountId, amountNano } = held.get(requestId) ?? { accountId: 0, amountNano: 0n };
      faults.push({ kind: 'hold_of_booked_request', requestId, accountId, amountNano, booked });
    }
  }
  return faults;
}

/** Estimates are few: they are made only for requests whose proxies have died or were cut off. */
async function readWrongEstimates(
  { sql, auditor }: ReconcileServices,
  accountId: number | undefined,
): Promise<RequestFault[]> {
  const only = accountId === undefined ? sql`` : sql`AND account_id = ${accountId}`;
  const rows = await sql<{ request_id: string; account_id: string; charged_nano: string }[]>`
    SELECT request_id, account_id, charged_nano FROM usage_requests
    WHERE rank = 1 AND request_id >= ${leastRequestId(new Date(Date.now() - outcomesKeptMs))}::uuid ${only}`;
  const faults: RequestFault[] = [];
  for (const [shard, ofShard] of Map.groupBy(rows, shardOfRow)) {
    for (const part of inParts(ofShard)) {
      const remembered = await auditor.readEstimates(
        shard,
        part.map((row) => row.request_id),
      );
      for (const { request_id: requestId, account_id, charged_nano } of part) {
        const differenceNano = (remembered.get(requestId) ?? BigInt(charged_nano)) - BigInt(charged_nano);
        if (differenceNano === 0n) continue;
        const fault = { requestId, accountId: Number(account_id), amountNano: differenceNano };
        faults.push({ kind: 'estimate_differs', ...fault, booked: `1:${charged_nano}` });
      }
    }
  }
  return faults;
}

function shardOfRow({ account_id }: { readonly account_id: string }): Shard {
  return shardOfAccount(Number(account_id));
}

function* inParts<Item>(items: readonly Item[]): Generator<readonly Item[]> {
  for (let start = 0; start < items.length; start += requestsAtOnce) yield items.slice(start, start + requestsAtOnce);
}
