/** The usual setup of a test: a scripted provider, one admin and one proxy, on its own harness. */
import { type Harness, startHarness } from '../harness.ts';
import type { Program, Served } from './programs.ts';
import { type ScriptedProvider, startScriptedProvider } from './providers/scripted-provider.ts';
import { testCatalogue } from './providers/test-catalogue.ts';

export interface Gateway<Admin extends Served = Served> {
  readonly harness: Harness;
  readonly provider: ScriptedProvider;
  readonly admin: Admin;
  readonly proxy: Program;
  stop(): Promise<void>;
}

export interface GatewayOptions {
  /** Built from the scripted provider's address; by default the test catalogue. */
  readonly catalogue?: (baseUrl: string) => string;
  readonly proxyEnvironment?: Readonly<Record<string, string>>;
}

/** For tests that are about the proxy: admin has no process of its own. */
export function startGateway(options: GatewayOptions = {}): Promise<Gateway> {
  return start(options, (harness) => harness.openAdmin());
}

/** For tests that are about programs: how they start, log, leave and are killed. */
export function startPrograms(options: GatewayOptions = {}): Promise<Gateway<Program>> {
  return start(options, (harness) => harness.startAdmin());
}

async function start<Admin extends Served>(
  { catalogue = testCatalogue, proxyEnvironment }: GatewayOptions,
  startAdmin: (harness: Harness) => Promise<Admin>,
): Promise<Gateway<Admin>> {
  const harness = await startHarness();
  const provider = startScriptedProvider();
  const listedKeys = new Set(proxyEnvironment?.PROVIDER_KEYS?.split(','));
  await harness.applyCatalogue(catalogue(provider.baseUrl), listedKeys);
  const admin = await startAdmin(harness);
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
