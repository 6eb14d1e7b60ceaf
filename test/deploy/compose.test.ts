/** The compose file: complete, and its programs are locked down. */
import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { parse } from 'yaml';
import { ownVariables } from '../../shared/config/own-variables.ts';

interface Service {
  readonly read_only?: boolean;
  readonly cap_drop?: readonly string[];
  readonly security_opt?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly secrets?: readonly string[];
  readonly depends_on?: readonly string[] | Readonly<Record<string, unknown>>;
  readonly ports?: readonly string[];
}

const text = await Bun.file(join(import.meta.dir, '../../deploy/compose.yaml')).text();
const file: { services: Record<string, Service>; secrets: Record<string, unknown> } = parse(text, { merge: true });
const services = Object.entries(file.services);
const programs = services.filter(([name]) => /^(proxy|admin|migrate)/.test(name));

test('every program has a read-only file system and no capabilities', () => {
  expect(programs.length).toBe(5);
  for (const [, { read_only, cap_drop, security_opt }] of programs) {
    expect([read_only, cap_drop, security_opt]).toEqual([true, ['ALL'], ['no-new-privileges:true']]);
  }
});

test('every variable of a program exists, and so do all secrets and services that are named', () => {
  for (const [, { environment = {}, secrets = [], depends_on = [] }] of programs) {
    const names = Object.keys(environment).map((name) => name.replace(/_FILE$/, ''));
    expect(names.filter((name) => !ownVariables.includes(name))).toEqual([]);
    expect(secrets.filter((name) => !Object.hasOwn(file.secrets, name))).toEqual([]);
    const needed = Array.isArray(depends_on) ? depends_on : Object.keys(depends_on);
    expect(needed.filter((name) => !Object.hasOwn(file.services, name))).toEqual([]);
  }
});

test('only the load balancer is reachable from outside', () => {
  expect(services.filter(([, { ports }]) => ports !== undefined).map(([name]) => name)).toEqual(['haproxy']);
});
