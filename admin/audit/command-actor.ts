/** The operator at a command line: by the name that his session gives him, or else by his number. */
import { hostname, userInfo } from 'node:os';
import type { Actor } from './record-action.ts';

/** What Bun says where USER is not set, as in a service or a container. */
const nameless: readonly string[] = ['', 'unknown'];

export function commandActor(): Actor {
  const { username, uid } = userInfo();
  const name = nameless.includes(username) ? `uid-${uid}` : username;
  return { name: `cli:${name}`, userId: null, address: hostname(), requestId: null };
}
