/** Finds free TCP ports by briefly listening on them. */
import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

const firstPort = 15_000;
const lastPort = 31_999;
const attemptsMax = 100;
/** What one start chooses is used only later, so nothing of it is chosen twice. */
const given = new Set<number>();

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
    if (given.has(port) || !(await isPortFree(port, host))) continue;
    given.add(port);
    return port;
  }
  throw new Error(`No port from ${firstPort} to ${lastPort} is free on ${host}.`);
}

/** The preferred port if it is free, otherwise another one. */
export async function freePortLike(wanted: number | undefined, host = '127.0.0.1'): Promise<number> {
  return wanted !== undefined && (await isPortFree(wanted, host)) ? wanted : freePort(host);
}
