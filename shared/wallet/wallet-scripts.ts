/** Loads the wallet's scripts and declares their arguments. */
import { Script, type ScriptTransform } from './script.ts';
import absorb from './scripts/ledger/absorb.lua' with { type: 'text' };
import askLedger from './scripts/ledger/ask-ledger.lua' with { type: 'text' };
import askRehash from './scripts/ledger/ask-rehash.lua' with { type: 'text' };
import audit from './scripts/ledger/audit.lua' with { type: 'text' };
import auditHolds from './scripts/ledger/audit-holds.lua' with { type: 'text' };
import capProgress from './scripts/ledger/cap-progress.lua' with { type: 'text' };
import credit from './scripts/ledger/credit.lua' with { type: 'text' };
import hydrate from './scripts/ledger/hydrate.lua' with { type: 'text' };
import hydrateSpend from './scripts/ledger/hydrate-spend.lua' with { type: 'text' };
import publishKey from './scripts/ledger/publish-key.lua' with { type: 'text' };
import rebase from './scripts/ledger/rebase.lua' with { type: 'text' };
import restoreOutcomes from './scripts/ledger/restore-outcomes.lua' with { type: 'text' };
import setAside from './scripts/ledger/set-aside.lua' with { type: 'text' };
import admit from './scripts/requests/admit.lua' with { type: 'text' };
import expire from './scripts/requests/expire.lua' with { type: 'text' };
import keyStatus from './scripts/requests/key-status.lua' with { type: 'text' };
import peek from './scripts/requests/peek.lua' with { type: 'text' };
import release from './scripts/requests/release.lua' with { type: 'text' };
import renew from './scripts/requests/renew.lua' with { type: 'text' };
import reserve from './scripts/requests/reserve.lua' with { type: 'text' };
import settle from './scripts/requests/settle.lua' with { type: 'text' };

const defaultLimits = ['requestsPerMinute', 'tokensPerMinute', 'concurrentStreams'] as const;

/** What decides whether a request may begin; described in order.lua. */
const quoted = [
  'keyHash',
  'model',
  'amount',
  'promptPart',
  'outputPrice',
  'outputCap',
  'lowestCap',
  'identity',
  ...defaultLimits,
] as const;

const argumentsOf = {
  admit: ['keyHash', 'identity'],
  reserve: [...quoted, 'request', 'detail', 'leaseMs', 'tokens', 'idempotencyKeyDigest', 'bodyDigest'],
  peek: quoted,
  keyStatus: ['keyHash', 'identity', ...defaultLimits, 'withSpending'],
  askLedger: ['account', 'key', 'shown'],
  askRehash: ['keyHash', 'newHash', 'pepperMark'],
  renew: ['request', 'account', 'key', 'amount', 'progress', 'detail', 'leaseMs'],
  settle: [
    'request',
    'account',
    'key',
    'cost',
    'detail',
    'tokens',
    'confirmedEpoch',
    'charged',
    'idempotencyKeyDigest',
    'answer',
  ],
  release: ['request', 'idempotencyKeyDigest'],
  expire: ['limit', 'epoch'],
  credit: ['account', 'creditSeq', 'amount', 'taken', 'request'],
  setAside: ['request', 'account', 'amount', 'lowest', 'leaseMs'],
  hydrate: ['account', 'balance', 'credited', 'spent', 'creditSeq', 'orphans'],
  hydrateSpend: ['key', 'day', 'daySpent', 'month', 'monthSpent', 'total'],
  absorb: ['orphans'],
  restoreOutcomes: ['booked'],
  publishKey: ['hash', 'version', 'account', 'key', 'active', 'expiresAt', 'models', 'limits', 'first', 'lifeMs'],
  audit: ['accounts'],
  auditHolds: [],
  capProgress: ['requests'],
  rebase: ['account', 'version', 'balance', 'spent', 'credited', 'creditSeq'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

type ScriptName = keyof typeof argumentsOf;

/** The arguments of a script, by its name in `walletScripts`. */
export type ArgumentsOf<Name extends ScriptName> = Parameters<WalletScripts[Name]['pack']>[1];

export type WalletScripts = { readonly [Name in ScriptName]: Script<(typeof argumentsOf)[Name][number]> };

export function loadWalletScripts(transform?: ScriptTransform): WalletScripts {
  const load = <Name extends ScriptName>(name: Name, source: string) =>
    new Script<(typeof argumentsOf)[Name][number]>(source, argumentsOf[name], transform);
  return {
    admit: load('admit', admit),
    reserve: load('reserve', reserve),
    peek: load('peek', peek),
    keyStatus: load('keyStatus', keyStatus),
    askLedger: load('askLedger', askLedger),
    askRehash: load('askRehash', askRehash),
    renew: load('renew', renew),
    settle: load('settle', settle),
    release: load('release', release),
    expire: load('expire', expire),
    credit: load('credit', credit),
    setAside: load('setAside', setAside),
    hydrate: load('hydrate', hydrate),
    hydrateSpend: load('hydrateSpend', hydrateSpend),
    absorb: load('absorb', absorb),
    restoreOutcomes: load('restoreOutcomes', restoreOutcomes),
    publishKey: load('publishKey', publishKey),
    audit: load('audit', audit),
    auditHolds: load('auditHolds', auditHolds),
    capProgress: load('capProgress', capProgress),
    rebase: load('rebase', rebase),
  };
}

export const walletScripts = loadWalletScripts();
