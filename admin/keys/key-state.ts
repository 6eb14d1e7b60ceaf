/** Whether a key can be used now. */
import type { Key } from './announce-key.ts';

export const keyStates = ['active', 'inactive', 'expired'] as const;
export type KeyState = (typeof keyStates)[number];

export function stateOf({ active, expiresAt }: Pick<Key, 'active' | 'expiresAt'>): KeyState {
  if (expiresAt !== null && expiresAt <= new Date()) return 'expired';
  return active ? 'active' : 'inactive';
}
