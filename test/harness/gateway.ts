/** The usual setup of a test: a scripted provider, one admin and one proxy, on its own harness. */
import { type Harness, startHarness } from '../harness.ts';
import type { TestDatabase } from './postgres.ts';
import type { Opened, OpenProxy, Program, Served } from './programs.ts';
import { type ScriptedProvider, startScriptedProvider } from './providers/scripted-provider.ts';
import { testCatalogue } from './providers/test-catalogue.ts';

export interface Gateway<Proxy extends Served = Served, Admin extends Served = Served> {
  readonly harness: Harness;
  readonly provider: ScriptedProvider;
  readonly admin: Admin;
  readonly proxy: Proxy;
  stop(): Promise<void>;
}

export interface GatewayOptions {
  /** Built from the scripted provider's address; by default the test catalogue. */
  readonly catalogue?: (baseUrl: string) => string;
  readonly proxyEnvironment?: Readonly<Record<string, string>>;
  readonly adminEnvironment?: Readonly<Record<string, string>>;
  /** A dedicated Postgres, for tests that stop it. */
  readonly testDatabase?: TestDatabase;
}

/** Admin and the proxy in this process. */
export function startGateway(options: GatewayOptions = {}): Promise<Gateway<OpenProxy, Opened>> {
  return start(options, {
    admin: (harness, environment) => harness.openAdmin(environment),
    proxy: (harness, environment) => harness.openProxy(environment),
  });
}

/** For tests that are about programs: how they start, log, take memory, leave and are killed. */
export function startPrograms(options: GatewayOptions = {}): Promise<Gateway<Program, Program>> {
  return start(options, {
    admin: (harness, environment) => harness.startAdmin(environment),
    proxy: (harness, environment) => harness.startProxy(environment),
  });
}

/** For tests that are about the proxy as a program: it starts in a third of the CPU that admin's program takes. */
export function startProxyProgram(options: GatewayOptions = {}): Promise<Gateway<Program>> {
  return start(options, {
    admin: (harness, environment) => harness.openAdmin(environment),
    proxy: (harness, environment) => harness.startProxy(environment),
  });
}

interface Starts<Proxy extends Served, Admin extends Served> {
  admin(harness: Harness, environment?: Readonly<Record<string, string>>): Promise<Admin>;
  proxy(harness: Harness, environment?: Readonly<Record<string, string>>): Promise<Proxy>;
}

async function start<Proxy extends Served, Admin extends Served>(
  { catalogue = testCatalogue, proxyEnvironment, adminEnvironment, testDatabase }: GatewayOptions,
  starts: Starts<Proxy, Admin>,
): Promise<Gateway<Proxy, Admin>> {
  const harness = await startHarness(testDatabase && { testDatabase });
  const provider = startScriptedProvider();
  const listedKeys = new Set(proxyEnvironment?.PROVIDER_KEYS?.split(','));
  await harness.applyCatalogue(catalogue(provider.baseUrl), listedKeys);
  const admin = await starts.admin(harness, adminEnvironment);
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
