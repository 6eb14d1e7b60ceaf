/**
 * The protections, each with a way to remove it. Without any one of them the simulation must find violations: a check
 * that cannot fail is useless.
 */
import { type Head, type PostingPlan, planPostings } from '../../admin/ledger/charges/plan-postings.ts';
import type { Charge } from '../../admin/ledger/charges/read-usage-entry.ts';
import type { ScriptTransform } from '../../shared/wallet/script.ts';
import { loadWalletScripts, type WalletScripts } from '../../shared/wallet/wallet-scripts.ts';
import type { ProfileName } from './profiles.ts';

export const mutants = [
  'no outcome marker',
  'no rank',
  'removal before commit',
  'no charge on expiry',
  'no hold recreated',
  'no outcomes restored',
  'no release tombstone',
  'no identity check',
  'no clamp at zero',
  'an orphan without a rank',
  'an orphan that is not absorbed',
  'a wallet that is charged where only the ledger can tell',
  'a DUPLICATE that returns the time',
  'a replay that charges more than the first Redis',
  'progress with the undelivered chunk',
  'progress that may fall',
  'a draw that is applied twice',
  'a late draw that is applied',
  'a lease that is used beyond its span',
  'a promotion that moves no money',
  'a lease that is not counted as held',
  'a lost lease that leaves its requests nothing',
  'a lease of an old epoch that is drawn',
  'a recall that is not awaited',
  'a change of a key that is not awaited',
  'charges of a lease whose number is not compared',
  'a level of budgets that is not judged',
  'a window that is not reset',
  'holds that budgets do not count',
  'hydration without what was spent',
  'later charges in the answer',
  'more than was held that no budget judges',
] as const;

export type Mutant = (typeof mutants)[number];

/** For mutants that the usual trouble does not find: the profile that finds them. */
export const profileOf: Partial<Record<Mutant, ProfileName>> = {
  'an orphan without a rank': 'clamps',
  'a wallet that is charged where only the ledger can tell': 'clamps',
  'a DUPLICATE that returns the time': 'clocks',
  'a replay that charges more than the first Redis': 'clamps',
  'progress with the undelivered chunk': 'overruns',
  'progress that may fall': 'overruns',
  'a draw that is applied twice': 'leases',
  'a late draw that is applied': 'leases',
  'a lease that is used beyond its span': 'leases',
  'a promotion that moves no money': 'leases',
  'a lease that is not counted as held': 'leases',
  'a lost lease that leaves its requests nothing': 'leases',
  'a lease of an old epoch that is drawn': 'leases',
  'a recall that is not awaited': 'cents',
  'a change of a key that is not awaited': 'leases',
  'charges of a lease whose number is not compared': 'leases',
  'a level of budgets that is not judged': 'budgets',
  'a window that is not reset': 'budgets',
  'holds that budgets do not count': 'budgets',
  'hydration without what was spent': 'budgets',
  'later charges in the answer': 'budgets',
  'more than was held that no budget judges': 'budgets',
};

/** Each removes what its comment in the script explains. */
const cuts: Partial<Record<Mutant, readonly [from: string, to: string]>> = {
  'no outcome marker': [
    "redis.call('SET', tag .. ':request:' .. request, outcome, 'EX', seconds)",
    "redis.call('DEL', tag .. ':request:' .. request)",
  ],
  'no charge on expiry': [
    'if wallet then charged = math.min(charged, math.max(wallet.available, 0)) end',
    'charged = 0',
  ],
  'no hold recreated': [
    'local assignment = arguments.assignment',
    "if not hold then return {status = 'OK', epoch = '0'} end\nlocal assignment = arguments.assignment",
  ],
  'no outcomes restored': ['    write_outcome(request, outcome)\n    restored', '    restored'],
  'no release tombstone': ["write_outcome(request, 'void')", "redis.call('DEL', tag .. ':request:' .. request)"],
  'no identity check': [' or meta[3] ~= identity', ''],
  'no clamp at zero': ['charged = math.min(charged, before + math.max(wallet.available, 0))', 'charged = cost'],
  'an orphan without a rank': ['if orphan.rank > booked.rank then', 'if true then'],
  'an orphan that is not absorbed': ['if difference ~= 0 then write_spent', 'if false then write_spent'],
  'a wallet that is charged where only the ledger can tell': ['or not hold and epoch ~= arguments.confirmedEpoch', ''],
  'a DUPLICATE that returns the time': [
    "return newest and newest[1] or ''",
    "local time = tonumber(redis.call('GET', 'simulation:clock'))\n  return text(time + 1) .. '-0'",
  ],
  'a replay that charges more than the first Redis': ["arguments.charged == '' and cost or", 'true and cost or'],
  'a draw that is applied twice': ['if number == last then', 'if false then'],
  'a late draw that is applied': ['if number < last then', 'if false then'],
  'a lease of an old epoch that is drawn': ['(hold and hold.epoch == read_epoch())', 'hold'],
  'a change of a key that is not awaited': ['mark == wanted_mark', 'false'],
  'charges of a lease whose number is not compared': ['hold and hold.lease == number - 1 and', 'hold and'],
  'a promotion that moves no money': ['hold.amount = hold.amount - moved', 'hold.amount = hold.amount'],
  'a lease that is not counted as held': [
    'if hold and hold.account == account then',
    'if hold and not hold.lease and hold.account == account then',
  ],
  'a lost lease that leaves its requests nothing': ['do promote(hold, request, nil, deadline, false) end', 'do end'],
  'a level of budgets that is not judged': [
    'if scope and spends[budget.level] == nil then',
    "if scope and budget.level ~= 'project' and spends[budget.level] == nil then",
  ],
  'a window that is not reset': ['numbers = {day = day,', 'numbers = {day = 20000,'],
  'holds that budgets do not count': ['budget.most - record[2]', 'budget.most'],
  'more than was held that no budget judges': ["if key_hash == '' then", 'if true then'],
  'progress that may fall': ['if progress >= (hold.progress or 0) then', 'if true then'],
};

/** Throws if the scripts no longer have what the mutant removes. */
export function loadMutant(mutant: Mutant | undefined, transform: ScriptTransform): WalletScripts {
  const [from, to] = (mutant && cuts[mutant]) ?? ['', ''];
  if (from === '') return loadWalletScripts(transform);
  let found = false;
  const scripts = loadWalletScripts((source) => {
    found ||= source.includes(from);
    return transform(source).replace(from, () => to);
  });
  if (!found) throw new Error(`the mutant '${mutant}' has nothing to remove`);
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
