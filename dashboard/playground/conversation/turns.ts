/** The conversation as the page shows it: each message with a response of every model that was asked. */
import { sumDecimals } from '../../app/money/decimal.ts';
import type { ChatUsage } from './stream-chat.ts';

export type AnswerStatus = 'running' | 'done' | 'stopped' | 'failed';

export interface Answer {
  readonly model: string;
  readonly status: AnswerStatus;
  readonly text: string;
  readonly reasoning: string;
  /** Why the model stopped, in the words of /v1. */
  readonly finishReason: string | undefined;
  readonly requestId: string | undefined;
  readonly usage: ChatUsage | undefined;
  /** Whether its cost is being asked for, because the stream ended without it. */
  readonly isSettling: boolean;
  readonly error: unknown;
  readonly durationMs: number | undefined;
}

export interface Turn {
  readonly id: number;
  readonly message: string;
  readonly answers: readonly Answer[];
}

export const newAnswer = (model: string): Answer => ({
  model,
  status: 'running',
  text: '',
  reasoning: '',
  finishReason: undefined,
  requestId: undefined,
  usage: undefined,
  isSettling: false,
  error: undefined,
  durationMs: undefined,
});

export const isRunning = (turns: readonly Turn[]): boolean =>
  turns.some(({ answers }) => answers.some(({ status }) => status === 'running'));

/** What the conversation has cost so far, in USD. */
export const costOf = (turns: readonly Turn[]): string =>
  sumDecimals(turns.flatMap(({ answers }) => answers.map(({ usage }) => usage?.cost ?? '0')));
