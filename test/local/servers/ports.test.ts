/** Ports for programs that start seconds after their ports have been chosen. */
import { expect, test } from 'bun:test';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../../local/servers/ports.ts';

test('no port is given twice, so that a start gives each program its own', async () => {
  const ports: number[] = [];
  // Of 17,000 random ports, a hundred would collide.
  for (let count = 0; count < 2_000; count += 1) ports.push(await freePort());
  expect(new Set(ports).size).toBe(ports.length);
});

test('processes that share a folder are never given the same port', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'ports-'));
  const source = `
    const { freePort, sharePortsIn } = await import(${JSON.stringify(join(import.meta.dir, '../../../local/servers/ports.ts'))});
    sharePortsIn(${JSON.stringify(folder)});
    const ports = [];
    for (let count = 0; count < 400; count += 1) ports.push(await freePort());
    console.log(JSON.stringify(ports));`;
  const processes = Array.from({ length: 3 }, () => Bun.spawn([process.execPath, '-e', source], { stdout: 'pipe' }));
  const ports = (await Promise.all(processes.map((each) => new Response(each.stdout).json()))).flat();
  expect(ports.length).toBe(1_200);
  expect(new Set(ports).size).toBe(1_200);
  await rm(folder, { recursive: true });
});
