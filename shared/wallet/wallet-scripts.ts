/** The scripts of the wallet, loaded. */
import { Script, type ScriptTransform } from './script.ts';
import askForWallet from './scripts/ask-for-wallet.lua' with { type: 'text' };
import credit from './scripts/credit.lua' with { type: 'text' };
import expire from './scripts/expire.lua' with { type: 'text' };
import hydrate from './scripts/hydrate.lua' with { type: 'text' };
import peek from './scripts/peek.lua' with { type: 'text' };
import publishKey from './scripts/publish-key.lua' with { type: 'text' };
import release from './scripts/release.lua' with { type: 'text' };
import renew from './scripts/renew.lua' with { type: 'text' };
import reserve from './scripts/reserve.lua' with { type: 'text' };
import restoreOutcomes from './scripts/restore-outcomes.lua' with { type: 'text' };
import settle from './scripts/settle.lua' with { type: 'text' };

const sources = {
  reserve,
  peek,
  askForWallet,
  renew,
  settle,
  release,
  expire,
  credit,
  hydrate,
  restoreOutcomes,
  publishKey,
};

export type WalletScripts = Readonly<Record<keyof typeof sources, Script>>;

export function loadWalletScripts(transform?: ScriptTransform): WalletScripts {
  const load = (source: string) => new Script(source, transform);
  return {
    reserve: load(sources.reserve),
    peek: load(sources.peek),
    askForWallet: load(sources.askForWallet),
    renew: load(sources.renew),
    settle: load(sources.settle),
    release: load(sources.release),
    expire: load(sources.expire),
    credit: load(sources.credit),
    hydrate: load(sources.hydrate),
    restoreOutcomes: load(sources.restoreOutcomes),
    publishKey: load(sources.publishKey),
  };
}

export const walletScripts = loadWalletScripts();
