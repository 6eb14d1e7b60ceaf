/** Finds out which TCP ports are free, by listening on them for a moment. */
import { createServer } from 'node:net';

/** True when a program could listen there now; exclusive, so a port shared through SO_REUSEPORT counts as taken. */
export async function isPortFree(port: number, host: string): Promise<boolean> {
  return (await listenForAMoment(port, host)) !== undefined;
}

/** A free port of the system's choice. */
export async function freePort(host = '127.0.0.1'): Promise<number> {
  const port = await listenForAMoment(0, host);
  if (port === undefined) throw new Error(`No port is free on ${host}.`);
  return port;
}

/** The wanted port if it is free, else another one. */
export async function freePortLike(wanted: number | undefined, host = '127.0.0.1'): Promise<number> {
  return wanted !== undefined && (await isPortFree(wanted, host)) ? wanted : freePort(host);
}

function listenForAMoment(port: number, host: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => {
      const isTaken = error.code === 'EADDRINUSE' || error.code === 'EACCES';
      return isTaken ? resolve(undefined) : reject(error);
    });
    server.listen({ port, host, exclusive: true }, () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : undefined));
    });
  });
}
