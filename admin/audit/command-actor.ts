/** The operator at a command line: whoever the operating system says he is. */
import { hostname, userInfo } from 'node:os';
import type { Actor } from './record-action.ts';

export function commandActor(): Actor {
  return { name: `cli:${userInfo().username}`, userId: null, address: hostname(), requestId: null };
}
