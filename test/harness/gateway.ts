/** The usual setup of a test: a scripted provider, one admin and one proxy, on its own harness. */
import { type Harness, startHarness } from '../harness.ts';
import type { TestDatabase } from './postgres.ts';
import type { Program, Served } from './programs.ts';
import { type ScriptedProvider, startScriptedProvider } from './providers/scripted-provider.ts';
import { testCatalogue } from './providers/test-catalogue.ts';

export interface Gateway<Kind extends Served = Served> {
  readonly harness: Harness;
  readonly provider: ScriptedProvider;
  readonly admin: Kind;
  readonly proxy: Kind;
  stop(): Promise<void>;
}

export interface GatewayOptions {
  /** Built from the scripted provider's address; by default the test catalogue. */
  readonly catalogue?: (baseUrl: string) => string;
  readonly proxyEnvironment?: Readonly<Record<string, string>>;
  /** A dedicated Postgres, for tests that stop it. */
  readonly testDatabase?: TestDatabase;
}

/** Admin and the proxy in this process. */
export function startGateway(options: GatewayOptions = {}): Promise<Gateway> {
  return start(options, {
    admin: (harness) => harness.openAdmin(),
    proxy: (harness, environment) => harness.openProxy(environment),
  });
}

/** For tests that are about programs: how they start, log, take memory, leave and are killed. */
export function startPrograms(options: GatewayOptions = {}): Promise<Gateway<Program>> {
  return start(options, {
    admin: (harness) => harness.startAdmin(),
    proxy: (harness, environment) => harness.startProxy(environment),
  });
}

interface Starts<Kind extends Served> {
  admin(harness: Harness): Promise<Kind>;
  proxy(harness: Harness, environment?: Readonly<Record<string, string>>): Promise<Kind>;
}

async function start<Kind extends Served>(
  { catalogue = testCatalogue, proxyEnvironment, testDatabase }: GatewayOptions,
  starts: Starts<Kind>,
): Promise<Gateway<Kind>> {
  const harness = await startHarness(testDatabase && { testDatabase });
  const provider = startScriptedProvider();
  const listedKeys = new Set(proxyEnvironment?.PROVIDER_KEYS?.split(','));
  await harness.applyCatalogue(catalogue(provider.baseUrl), listedKeys);
  const admin = await starts.admin(harness);
  const proxy = await starts.proxy(harness, proxyEnvironment);
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
