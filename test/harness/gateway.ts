/** The usual setup of a test: a scripted provider, one admin and one proxy, on its own harness. */
import { type Harness, startHarness } from '../harness.ts';
import type { Program } from './programs.ts';
import { type ScriptedProvider, startScriptedProvider } from './providers/scripted-provider.ts';
import { testCatalogue } from './providers/test-catalogue.ts';

export interface Gateway {
  readonly harness: Harness;
  readonly provider: ScriptedProvider;
  readonly admin: Program;
  readonly proxy: Program;
  stop(): Promise<void>;
}

export interface GatewayOptions {
  /** Built from the scripted provider's address; by default the test catalogue. */
  readonly catalogue?: (baseUrl: string) => string;
  readonly proxyEnvironment?: Readonly<Record<string, string>>;
}

export async function startGateway(options: GatewayOptions = {}): Promise<Gateway> {
  const { catalogue = testCatalogue, proxyEnvironment } = options;
  const harness = await startHarness();
  const provider = startScriptedProvider();
  const listedKeys = new Set(proxyEnvironment?.PROVIDER_KEYS?.split(','));
  await harness.applyCatalogue(catalogue(provider.baseUrl), listedKeys);
  const admin = await harness.startAdmin();
  const proxy = await harness.startProxy(proxyEnvironment);
  return {
    harness,
    provider,
    admin,
    proxy,
    stop: async () => {
      await provider.stop();
      await harness.stop();
    },
  };
}
