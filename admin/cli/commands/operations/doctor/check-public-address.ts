/** Whether the public addresses respond, and how long their certificates are still valid. */
import { connect } from 'node:tls';
import type { Finding } from './finding.ts';

const timeoutMs = 5_000;
const dayMs = 86_400_000;
const warnDays = 14;
const failDays = 3;
const defaultPort = 443;

/** None without https: then there is no certificate, and nothing public to check. */
export async function checkPublicAddress(address: string): Promise<Finding[]> {
  const { protocol, hostname, port } = new URL(address);
  if (protocol !== 'https:') return [];
  const check = `certificate ${hostname}`;
  try {
    const seen = await readCertificate(hostname, port === '' ? defaultPort : Number(port));
    return [certificateFinding(check, seen, new Date())];
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error);
    return [{ check, status: 'fail', detail, advice: `Check that ${address} reaches the load balancer from here.` }];
  }
}

export interface SeenCertificate {
  readonly validTo: Date;
  /** Why clients do not trust it; undefined if they do. */
  readonly distrust: string | undefined;
}

export function certificateFinding(check: string, { validTo, distrust }: SeenCertificate, now: Date): Finding {
  const days = Math.floor((validTo.getTime() - now.getTime()) / dayMs);
  const advice = 'Renew it, and see that the load balancer loads the new one.';
  const day = validTo.toISOString().slice(0, 10);
  if (days < failDays) return { check, status: 'fail', detail: `valid until ${day}`, advice };
  if (distrust !== undefined) {
    const chain = 'Serve the whole chain, of an authority that clients trust.';
    return { check, status: 'warn', detail: `valid until ${day}, but not trusted here: ${distrust}`, advice: chain };
  }
  return { check, status: days < warnDays ? 'warn' : 'ok', detail: `valid until ${day}`, advice };
}

/** Also of one that is not trusted: its expiry is worth knowing. */
function readCertificate(host: string, port: number): Promise<SeenCertificate> {
  const { promise, resolve, reject } = Promise.withResolvers<SeenCertificate>();
  const socket = connect({ host, port, servername: host, rejectUnauthorized: false, timeout: timeoutMs }, () => {
    const validTo = new Date(socket.getPeerCertificate().valid_to);
    const distrust = socket.authorized ? undefined : String(socket.authorizationError);
    resolve({ validTo, distrust });
    socket.destroy();
  });
  socket.once('timeout', () => socket.destroy(new Error(`no response within ${timeoutMs / 1_000} s`)));
  socket.once('error', reject);
  return promise;
}
