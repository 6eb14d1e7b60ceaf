/** Finds free TCP ports by briefly listening on them. */
import { randomInt } from 'node:crypto';
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';

const firstPort = 15_000;
const lastPort = 31_999;
const attemptsMax = 100;
/** What one start chooses is used only later, so nothing of it is chosen twice. */
const given = new Set<number>();
let sharedFolder: string | undefined;

/**
 * A port is given once among all processes that call this with the same folder, which exists. A program that restarts, as tests have
 * them do, finds its port free again.
 */
export function sharePortsIn(folder: string): void {
  sharedFolder = join(folder, 'ports');
  mkdirSync(sharedFolder, { recursive: true });
}

/** Whether no other process has been given it. */
function claim(port: number): boolean {
  if (sharedFolder === undefined) return true;
  try {
    closeSync(openSync(join(sharedFolder, String(port)), 'wx'));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** Whether a program could listen there now; exclusive, so a port shared through SO_REUSEPORT counts as taken. */
export function isPortFree(port: number, host: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => {
      const isTaken = error.code === 'EADDRINUSE' || error.code === 'EACCES';
      return isTaken ? resolve(false) : reject(error);
    });
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(true)));
  });
}

/**
 * A free port below the range that systems use for outgoing connections (32768 on Linux, 49152 on
 * macOS): between this check and the program's start, any outgoing connection could take one of those.
 */
export async function freePort(host = '127.0.0.1'): Promise<number> {
  for (let attempt = 0; attempt < attemptsMax; attempt += 1) {
    const port = randomInt(firstPort, lastPort + 1);
    if (given.has(port) || !(await isPortFree(port, host)) || !claim(port)) continue;
    given.add(port);
    return port;
  }
  throw new Error(`No port from ${firstPort} to ${lastPort} is free on ${host}.`);
}

/** The preferred port if it is free, otherwise another one. */
export async function freePortLike(wanted: number | undefined, host = '127.0.0.1'): Promise<number> {
  return wanted !== undefined && (await isPortFree(wanted, host)) ? wanted : freePort(host);
}
