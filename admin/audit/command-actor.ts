/** The operator at a command line: the system user who runs it, and the host on which it runs. */
import { hostname, userInfo } from 'node:os';
import { readSudoUser } from '../../shared/config/admin.ts';
import type { Actor } from './record-action.ts';

const lookUpMs = 2_000;
const root = 0;

export function commandActor(): Actor {
  return { name: `cli:${systemUser()}`, userId: null, address: hostname(), requestId: null };
}

/** `ada as root` for sudo: root's own word is taken for who it is, and no other user's. */
function systemUser(): string {
  const { uid } = userInfo();
  const name = accountName() ?? `uid-${uid}`;
  const person = uid === root ? readSudoUser() : undefined;
  return person === undefined || person === name ? name : `${person} as ${name}`;
}

/** By the system's directory of users: `USER` is whatever the shell says, and a service or a container has none. */
function accountName(): string | undefined {
  try {
    const { exitCode, stdout } = Bun.spawnSync(['id', '-un'], { stderr: 'ignore', timeout: lookUpMs });
    return exitCode === 0 ? stdout.toString().trim() || undefined : undefined;
  } catch {
    return undefined;
  }
}
