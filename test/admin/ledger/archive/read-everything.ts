/** Everything that customers and operators read of charges, in pages of generated sizes and with generated filters. */

import type { LinePosition } from '../../../../admin/http/request/page-cursor.ts';
import type { Ledger } from '../../../../admin/ledger/ledger.ts';
import {
  listRequests,
  type RequestFilter,
  type RequestPosition,
} from '../../../../admin/ledger/queries/list-requests.ts';
import {
  listStatement,
  listTransactions,
  walkTransactions,
} from '../../../../admin/ledger/queries/list-transactions.ts';
import { readReceipt } from '../../../../admin/ledger/queries/read-receipt.ts';
import type { SeededRandom } from '../../../harness/seeded-random.ts';

export interface Booked {
  readonly accountIds: readonly number[];
  readonly requestIds: readonly string[];
  readonly first: Date;
  readonly last: Date;
  /** Of the first account's dimension `user`. */
  readonly dimensionId: number;
}

/** The same questions for the same seed. */
export async function readEverything(ledger: Ledger, booked: Booked, random: SeededRandom): Promise<unknown> {
  const found: unknown[] = [];
  for (const accountId of booked.accountIds) {
    const all = { accountId, type: undefined, from: undefined, to: undefined };
    found.push(await Array.fromAsync(walkTransactions(ledger, all, random.integer(3, 40))));
    found.push(await readStatement(ledger, all, random.integer(2, 30)));
    for (let asked = 0; asked < 8; asked += 1) {
      const filter = {
        ...all,
        ...someTime(booked, random),
        type: random.pickIfAny([undefined, 'usage', 'payment'] as const),
      };
      const page = { limit: random.integer(1, 30), offset: random.pick([0, 0, random.integer(1, 80)]) };
      found.push(await listTransactions(ledger, filter, page), (await listStatement(ledger, filter, page)).lines);
      found.push(await listRequests(ledger, someRequests(booked, accountId, random), random.integer(1, 30)));
    }
    for (const replacedToo of [false, true]) found.push(await walkRequests(ledger, accountId, { replacedToo, random }));
  }
  for (const requestId of booked.requestIds) {
    const receipt = await readReceipt(ledger, { requestId });
    const accountId = receipt?.event.accountId ?? 0;
    found.push(receipt, await readReceipt(ledger, { requestId, accountId }));
    if ((await readReceipt(ledger, { requestId, accountId: accountId + 1 })) !== undefined) throw new Error(requestId);
  }
  return found;
}

async function readStatement(ledger: Ledger, filter: Parameters<typeof listStatement>[1], limit: number) {
  const lines: unknown[] = [];
  let behind: LinePosition | undefined;
  do {
    const page = await listStatement(ledger, filter, { limit, behind });
    lines.push(...page.lines);
    behind = page.end;
  } while (behind !== undefined);
  return lines;
}

const anyRequest = { keyId: undefined, model: undefined, from: undefined, to: undefined, behind: undefined };

async function walkRequests(
  ledger: Ledger,
  accountId: number,
  { replacedToo, random }: { replacedToo: boolean; random: SeededRandom },
) {
  const listed: unknown[] = [];
  const limit = random.integer(3, 30);
  let behind: RequestPosition | undefined;
  for (;;) {
    const page = await listRequests(ledger, { accountId, ...anyRequest, behind, replacedToo }, limit);
    listed.push(...page);
    if (page.length < limit) return listed;
    behind = page.at(-1)?.event;
  }
}

function someRequests(booked: Booked, accountId: number, random: SeededRandom): RequestFilter {
  const { dimensionId } = booked;
  return {
    ...{ accountId, behind: undefined, ...someTime(booked, random), replacedToo: random.chance(0.5) },
    model: random.pickIfAny([undefined, 'm', 'other']),
    keyId: random.pickIfAny([undefined, undefined, 1, 2]),
    ...(random.chance(0.4) && {
      dimension: { dimensionId, value: random.pickIfAny([undefined, 'user 1', 'user 3', 'nobody']) },
    }),
  };
}

function someTime({ first, last }: Booked, random: SeededRandom): { from: Date | undefined; to: Date | undefined } {
  const at = () => new Date(random.integer(first.getTime() - 1_000, last.getTime() + 1_000));
  const [one, other] = [at(), at()].sort((a, b) => a.getTime() - b.getTime());
  return { from: random.chance(0.5) ? one : undefined, to: random.chance(0.5) ? other : undefined };
}
