/** Ports for programs that start seconds after their ports have been chosen. */
import { expect, test } from 'bun:test';
import { freePort } from '../../../local/servers/ports.ts';

test('no port is given twice, so that a start gives each program its own', async () => {
  const ports: number[] = [];
  // Of 17,000 random ports, a hundred would collide.
  for (let count = 0; count < 2_000; count += 1) ports.push(await freePort());
  expect(new Set(ports).size).toBe(ports.length);
});
