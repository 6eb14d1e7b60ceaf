/**
 * The protections, each with a way to take it out. With any one of them gone the simulation must find violations: a
 * check that cannot fail is no check.
 */
import { type Head, type PostingPlan, planPostings } from '../../admin/ledger/plan-postings.ts';
import type { Charge } from '../../admin/ledger/read-usage-entry.ts';
import type { ScriptTransform } from '../../shared/wallet/script.ts';
import { loadWalletScripts, type WalletScripts } from '../../shared/wallet/wallet-scripts.ts';

export const mutants = [
  'no outcome marker',
  'no rank',
  'removal before commit',
  'no charge on expiry',
  'no hold made anew',
  'no outcomes restored',
  'no release tombstone',
  'no identity check',
  'no clamp at zero',
] as const;

export type Mutant = (typeof mutants)[number];

/** Each takes out what its comment in the script explains. */
const cuts: Partial<Record<Mutant, readonly [from: string, to: string]>> = {
  'no outcome marker': [
    "redis.call('SET', tag .. ':request:' .. request, outcome, 'EX', outcome_seconds)",
    "redis.call('DEL', tag .. ':request:' .. request)",
  ],
  'no charge on expiry': ['charged = math.min(hold.progress, math.max(wallet.available, 0))', 'charged = 0'],
  'no hold made anew': ['local lost = {request', "if not hold then return {'OK', '0'} end\nlocal lost = {request"],
  'no outcomes restored': ['    write_outcome(request, outcome)\n    restored', '    restored'],
  'no release tombstone': ["write_outcome(request, 'void')", "redis.call('DEL', tag .. ':request:' .. request)"],
  'no identity check': [' or meta[3] ~= order.identity', ''],
  'no clamp at zero': ['charged = math.min(cost, before + math.max(wallet.available, 0))', 'charged = cost'],
};

/** Throws where the scripts no longer have what the mutant takes out. */
export function loadMutant(mutant: Mutant | undefined, transform: ScriptTransform): WalletScripts {
  const [from, to] = (mutant && cuts[mutant]) ?? ['', ''];
  if (from === '') return loadWalletScripts(transform);
  let found = false;
  const scripts = loadWalletScripts((source) => {
    found ||= source.includes(from);
    return transform(source).replace(from, () => to);
  });
  if (!found) throw new Error(`the mutant '${mutant}' has nothing to take out`);
  return scripts;
}

/** Books every event as if it were new. */
export function planWithoutRank(charges: readonly Charge[], heads: ReadonlyMap<string, Head>): PostingPlan {
  const forgotten = new Map([...heads].map(([requestId, head]) => [requestId, { ...head, rank: 0 }]));
  const plan = planPostings(charges, new Map());
  const added = new Map(
    [...plan.heads].map(([requestId, head]) => {
      const before = forgotten.get(requestId)?.chargedNano ?? 0n;
      return [requestId, { rank: head.rank, chargedNano: before + head.chargedNano }] as const;
    }),
  );
  return { ...plan, heads: added };
}
