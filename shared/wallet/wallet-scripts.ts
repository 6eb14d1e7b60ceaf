/** The wallet's scripts, and the arguments of each in the order in which they are passed. */
import { Script, type ScriptTransform } from './script.ts';
import absorb from './scripts/ledger/absorb.lua' with { type: 'text' };
import askRehash from './scripts/ledger/ask-rehash.lua' with { type: 'text' };
import audit from './scripts/ledger/audit.lua' with { type: 'text' };
import auditHolds from './scripts/ledger/audit-holds.lua' with { type: 'text' };
import capProgress from './scripts/ledger/cap-progress.lua' with { type: 'text' };
import countAnew from './scripts/ledger/count-anew.lua' with { type: 'text' };
import credit from './scripts/ledger/credit.lua' with { type: 'text' };
import hydrate from './scripts/ledger/hydrate.lua' with { type: 'text' };
import hydrateSpend from './scripts/ledger/hydrate-spend.lua' with { type: 'text' };
import moveShard from './scripts/ledger/move-shard.lua' with { type: 'text' };
import publishKey from './scripts/ledger/publish-key.lua' with { type: 'text' };
import readSpend from './scripts/ledger/read-spend.lua' with { type: 'text' };
import rebase from './scripts/ledger/rebase.lua' with { type: 'text' };
import restoreOutcomes from './scripts/ledger/restore-outcomes.lua' with { type: 'text' };
import setAside from './scripts/ledger/set-aside.lua' with { type: 'text' };
import admit from './scripts/requests/admit.lua' with { type: 'text' };
import chargeLease from './scripts/requests/charge-lease.lua' with { type: 'text' };
import draw from './scripts/requests/draw.lua' with { type: 'text' };
import expire from './scripts/requests/expire.lua' with { type: 'text' };
import keyStatus from './scripts/requests/key-status.lua' with { type: 'text' };
import peek from './scripts/requests/peek.lua' with { type: 'text' };
import recall from './scripts/requests/recall.lua' with { type: 'text' };
import recalled from './scripts/requests/recalled.lua' with { type: 'text' };
import release from './scripts/requests/release.lua' with { type: 'text' };
import renew from './scripts/requests/renew.lua' with { type: 'text' };
import reserve from './scripts/requests/reserve.lua' with { type: 'text' };
import reuse from './scripts/requests/reuse.lua' with { type: 'text' };
import settle from './scripts/requests/settle.lua' with { type: 'text' };

/** What decides whether a request may begin; described in reservation.lua. */
const quoted = [
  'keyHash',
  'models',
  'amount',
  'promptPart',
  'outputPrice',
  'outputCap',
  'lowestCap',
  'identity',
  'defaultLimits',
  'recalled',
  'rulesMark',
] as const;

/** The header of each file describes its arguments, in the same order: `link-script.test.ts` compares them. */
export const definitions = {
  admit: { source: admit, arguments: ['keyHash', 'identity'] },
  reserve: {
    source: reserve,
    arguments: [...quoted, 'request', 'detail', 'holdMs', 'tokens', 'idempotencyKeyDigest', 'bodyDigest', 'unlimited'],
  },
  peek: { source: peek, arguments: quoted },
  reuse: { source: reuse, arguments: ['keyHash', 'models', 'identity', 'defaultLimits', 'rulesMark'] },
  keyStatus: {
    source: keyStatus,
    arguments: ['keyHash', 'identity', 'defaultLimits', 'withSpending', 'rulesMark'],
  },
  askRehash: { source: askRehash, arguments: ['keyHash', 'newHash', 'pepperMark'] },
  renew: {
    source: renew,
    arguments: ['request', 'account', 'key', 'assignment', 'amount', 'progress', 'detail', 'holdMs', 'keyHash'],
  },
  settle: {
    source: settle,
    arguments: [
      'request',
      'account',
      'key',
      'assignment',
      'cost',
      'detail',
      'tokens',
      'confirmedEpoch',
      'charged',
      'idempotencyKeyDigest',
      'answer',
      'keyHash',
    ],
  },
  release: { source: release, arguments: ['request', 'idempotencyKeyDigest'] },
  draw: {
    source: draw,
    arguments: [
      'lease',
      'number',
      'keyHash',
      'account',
      'key',
      'identity',
      'defaultLimits',
      'begun',
      'usedTokens',
      'keep',
      'want',
      'next',
      'charges',
      'packed',
      'promoted',
      'spanMs',
      'holdMs',
    ],
  },
  chargeLease: { source: chargeLease, arguments: ['lease', 'number', 'account', 'cost', 'count', 'charges'] },
  recall: { source: recall, arguments: ['account', 'exactMs'] },
  recalled: { source: recalled, arguments: ['account'] },
  expire: { source: expire, arguments: ['limit', 'epoch'] },
  credit: { source: credit, arguments: ['account', 'creditSeq', 'amount', 'taken', 'request'] },
  moveShard: { source: moveShard, arguments: ['from', 'to', 'epoch'] },
  setAside: { source: setAside, arguments: ['request', 'account', 'amount', 'lowest', 'holdMs'] },
  hydrate: { source: hydrate, arguments: ['account', 'balance', 'credited', 'spent', 'creditSeq', 'orphans'] },
  hydrateSpend: { source: hydrateSpend, arguments: ['account', 'scope', 'asked', 'zone', 'windows', 'spent'] },
  readSpend: { source: readSpend, arguments: ['account', 'scope'] },
  countAnew: { source: countAnew, arguments: ['account', 'scope'] },
  absorb: { source: absorb, arguments: ['orphans'] },
  restoreOutcomes: { source: restoreOutcomes, arguments: ['booked'] },
  publishKey: {
    source: publishKey,
    arguments: [
      'hash',
      'version',
      'account',
      'key',
      'active',
      'expiresAt',
      'models',
      'limits',
      'first',
      'assignment',
      'zone',
      'dimensions',
      'lifeMs',
      'rulesMark',
      'rules',
      'spanMs',
    ],
  },
  audit: { source: audit, arguments: ['accounts'] },
  auditHolds: { source: auditHolds, arguments: [] },
  capProgress: { source: capProgress, arguments: ['requests'] },
  rebase: { source: rebase, arguments: ['account', 'version', 'balance', 'spent', 'credited', 'creditSeq'] },
} as const satisfies Readonly<Record<string, { readonly source: string; readonly arguments: readonly string[] }>>;

type Definitions = typeof definitions;
type ScriptName = keyof Definitions;

/** The arguments of a script, by its name in `walletScripts`. */
export type ArgumentsOf<Name extends ScriptName> = Parameters<WalletScripts[Name]['pack']>[1];

export type WalletScripts = { readonly [Name in ScriptName]: Script<Definitions[Name]['arguments'][number]> };

export function loadWalletScripts(transform?: ScriptTransform): WalletScripts {
  const scripts = Object.entries(definitions).map(([name, definition]) => [
    name,
    new Script(definition.source, definition.arguments, transform),
  ]);
  // `Object.fromEntries` forgets which name belongs to which script.
  return Object.fromEntries(scripts) as WalletScripts;
}

export const walletScripts = loadWalletScripts();
