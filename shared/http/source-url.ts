/** Where an operator may have something fetched from: only https, and http from this machine. */
import { isIP } from 'node:net';

/** Why nothing is fetched from there, after its address; undefined if something may be. */
export function refuseSource(address: string): string | undefined {
  const url = URL.parse(address);
  if (url === null) return 'is not a URL';
  if (url.username !== '' || url.password !== '') return 'has a user name or a password';
  if (url.protocol === 'https:' || (url.protocol === 'http:' && isThisMachine(url.hostname))) return undefined;
  return 'is neither an https address nor one of this machine';
}

function isThisMachine(hostname: string): boolean {
  if (hostname === 'localhost' || hostname === '[::1]') return true;
  return isIP(hostname) === 4 && hostname.startsWith('127.');
}
