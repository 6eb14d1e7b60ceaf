/**
 * Violations that chaos has found and that are not repaired yet. Each has a failing test in known-defects.test.ts; it
 * is counted and shown, and goes from here with its repair.
 */
import type { Judgement } from './judge.ts';

export interface KnownDefect {
  readonly name: string;
  explains(judgement: Judgement): boolean;
}

export const knownDefects: readonly KnownDefect[] = [
  {
    name: 'a client that leaves before any provider has taken its request pays for the prompt',
    explains: ({ attempt, truth, chargedNano }) =>
      attempt.view.ending === 'left' && truth.costNano === 0n && chargedNano === truth.promptNano,
  },
];
