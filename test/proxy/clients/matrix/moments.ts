/** Situations that several scenarios start from. */
import { chat } from '../../../harness/clients/chat.ts';
import { answerStream } from '../../../harness/providers/scripted-provider.ts';
import type { Stage } from './stage.ts';

/** The error that `answer` fails with. */
export async function caught(asking: Promise<unknown>): Promise<unknown> {
  let answer: unknown;
  try {
    answer = await asking;
  } catch (error) {
    return error;
  }
  throw new Error(`expected an error, got ${Bun.inspect(answer)}`);
}

export interface HeldStream {
  readonly key: string;
  release(): Promise<void>;
}

/** A key whose only stream is in use until it is released; another one gets a 429. */
export async function heldStream(stage: Stage): Promise<HeldStream> {
  const { customer } = await stage.enter();
  const key = await stage.keyWithStreams(customer, 1);
  stage.provider.on('upstream-priced', answerStream({ tokens: 4_000, delayMs: 50 }));
  const answer = await chat(stage.proxy, key, { model: 'test/priced-output', stream: true });
  const reader = answer.body?.getReader();
  if (answer.status !== 200 || reader === undefined) throw new Error(`no stream, but status ${answer.status}`);
  return { key, release: () => reader.cancel() };
}
