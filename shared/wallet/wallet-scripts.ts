/** Loads the wallet's scripts and declares their arguments. */
import { Script, type ScriptTransform } from './script.ts';
import absorb from './scripts/absorb.lua' with { type: 'text' };
import admit from './scripts/admit.lua' with { type: 'text' };
import askLedger from './scripts/ask-ledger.lua' with { type: 'text' };
import audit from './scripts/audit.lua' with { type: 'text' };
import auditHolds from './scripts/audit-holds.lua' with { type: 'text' };
import capProgress from './scripts/cap-progress.lua' with { type: 'text' };
import credit from './scripts/credit.lua' with { type: 'text' };
import expire from './scripts/expire.lua' with { type: 'text' };
import hydrate from './scripts/hydrate.lua' with { type: 'text' };
import hydrateSpend from './scripts/hydrate-spend.lua' with { type: 'text' };
import keyStatus from './scripts/key-status.lua' with { type: 'text' };
import peek from './scripts/peek.lua' with { type: 'text' };
import publishKey from './scripts/publish-key.lua' with { type: 'text' };
import rebase from './scripts/rebase.lua' with { type: 'text' };
import release from './scripts/release.lua' with { type: 'text' };
import renew from './scripts/renew.lua' with { type: 'text' };
import reserve from './scripts/reserve.lua' with { type: 'text' };
import restoreOutcomes from './scripts/restore-outcomes.lua' with { type: 'text' };
import setAside from './scripts/set-aside.lua' with { type: 'text' };
import settle from './scripts/settle.lua' with { type: 'text' };

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
  publishKey: ['hash', 'version', 'account', 'key', 'active', 'expiresAt', 'models', 'limits'],
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
