/** The conversation as the page shows it: each message with a response of every model that was asked. */
import { sumDecimals } from '../../app/money/decimal.ts';
import type { ChatUsage } from './stream-chat.ts';

export type ResponseStatus = 'running' | 'done' | 'stopped' | 'failed';

export interface ModelResponse {
  readonly model: string;
  readonly status: ResponseStatus;
  readonly text: string;
  readonly reasoning: string;
  /** Why the model stopped, in the words of /v1. */
  readonly finishReason: string | undefined;
  readonly requestId: string | undefined;
  readonly usage: ChatUsage | undefined;
  /** What the attempts before this one have cost, in USD. */
  readonly formerCost: string;
  /** Whether its cost is being asked for, because the stream ended without it. */
  readonly isSettling: boolean;
  readonly error: unknown;
  readonly durationMs: number | undefined;
}

export interface Turn {
  readonly id: number;
  readonly message: string;
  readonly responses: readonly ModelResponse[];
}

export const newResponse = (model: string): ModelResponse => ({
  model,
  status: 'running',
  text: '',
  reasoning: '',
  finishReason: undefined,
  requestId: undefined,
  usage: undefined,
  formerCost: '0',
  isSettling: false,
  error: undefined,
  durationMs: undefined,
});

export const isRunning = (turns: readonly Turn[]): boolean =>
  turns.some(({ responses }) => responses.some(({ status }) => status === 'running'));

/** With the attempts before it, in USD. */
export const spentOn = ({ formerCost, usage }: Pick<ModelResponse, 'formerCost' | 'usage'>): string =>
  sumDecimals([formerCost, usage?.cost ?? '0']);

/** What the conversation has cost so far, in USD. */
export const costOf = (turns: readonly Turn[]): string =>
  sumDecimals(turns.flatMap(({ responses }) => responses.map(spentOn)));
