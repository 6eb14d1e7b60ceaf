/** The scripts of the wallet, loaded. */
import { Script, type ScriptTransform } from './script.ts';
import absorb from './scripts/absorb.lua' with { type: 'text' };
import admit from './scripts/admit.lua' with { type: 'text' };
import askLedger from './scripts/ask-ledger.lua' with { type: 'text' };
import credit from './scripts/credit.lua' with { type: 'text' };
import expire from './scripts/expire.lua' with { type: 'text' };
import hydrate from './scripts/hydrate.lua' with { type: 'text' };
import hydrateSpend from './scripts/hydrate-spend.lua' with { type: 'text' };
import keyStatus from './scripts/key-status.lua' with { type: 'text' };
import peek from './scripts/peek.lua' with { type: 'text' };
import publishKey from './scripts/publish-key.lua' with { type: 'text' };
import release from './scripts/release.lua' with { type: 'text' };
import renew from './scripts/renew.lua' with { type: 'text' };
import reserve from './scripts/reserve.lua' with { type: 'text' };
import restoreOutcomes from './scripts/restore-outcomes.lua' with { type: 'text' };
import settle from './scripts/settle.lua' with { type: 'text' };

const sources = {
  admit,
  reserve,
  peek,
  keyStatus,
  askLedger,
  renew,
  settle,
  release,
  expire,
  credit,
  hydrate,
  hydrateSpend,
  absorb,
  restoreOutcomes,
  publishKey,
};

export type WalletScripts = Readonly<Record<keyof typeof sources, Script>>;

export function loadWalletScripts(transform?: ScriptTransform): WalletScripts {
  const load = (source: string) => new Script(source, transform);
  return {
    admit: load(sources.admit),
    reserve: load(sources.reserve),
    peek: load(sources.peek),
    keyStatus: load(sources.keyStatus),
    askLedger: load(sources.askLedger),
    renew: load(sources.renew),
    settle: load(sources.settle),
    release: load(sources.release),
    expire: load(sources.expire),
    credit: load(sources.credit),
    hydrate: load(sources.hydrate),
    hydrateSpend: load(sources.hydrateSpend),
    absorb: load(sources.absorb),
    restoreOutcomes: load(sources.restoreOutcomes),
    publishKey: load(sources.publishKey),
  };
}

export const walletScripts = loadWalletScripts();
