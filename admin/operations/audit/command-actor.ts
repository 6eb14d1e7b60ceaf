/** The operator at a command line, who is the system user on their host, and the reason that they give. */
import { hostname, userInfo } from 'node:os';
import { GatewayError } from '../../../shared/errors.ts';
import { readSudoUser } from '../../config/admin.ts';
import type { Actor } from './record-action.ts';

const lookUpMs = 2_000;
const root = 0;

export function commandActor(): Actor {
  return { name: `cli:${systemUser()}`, userId: null, address: hostname(), requestId: null };
}

/** `ada as root` for sudo. SUDO_USER is trusted only if root runs the command. */
function systemUser(): string {
  const { uid } = userInfo();
  const name = accountName() ?? `uid-${uid}`;
  const person = uid === root ? readSudoUser() : undefined;
  return person === undefined || person === name ? name : `${person} as ${name}`;
}

/** From the system's user database: `USER` is set by the shell, and services and containers may not set it. */
function accountName(): string | undefined {
  try {
    const { exitCode, stdout } = Bun.spawnSync(['id', '-un'], { stderr: 'ignore', timeout: lookUpMs });
    return exitCode === 0 ? stdout.toString().trim() || undefined : undefined;
  } catch {
    return undefined;
  }
}

const reasonMaxLength = 500;

/** Trimmed. Throws GatewayError `invalid_parameter`. */
export function readReason(text: string): string {
  const reason = text.trim();
  if (reason === '' || reason.length > reasonMaxLength) {
    throw new GatewayError('invalid_parameter', `A reason must have 1 to ${reasonMaxLength} characters.`, {
      param: 'reason',
    });
  }
  return reason;
}
