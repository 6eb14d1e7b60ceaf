/** Situations that several scenarios start from. */
import { chat } from '../../../harness/clients/chat.ts';
import { streamedResponse } from '../../../harness/providers/scripted-provider.ts';
import type { Stage } from './stage.ts';

/** The error that `response` fails with. */
export async function caught(asking: Promise<unknown>): Promise<unknown> {
  let response: unknown;
  try {
    response = await asking;
  } catch (error) {
    return error;
  }
  throw new Error(`expected an error, got ${Bun.inspect(response)}`);
}

export interface HeldStream {
  readonly key: string;
  release(): Promise<void>;
}

/** A key whose only stream is in use until it is released; another one gets a 429. */
export async function heldStream(stage: Stage): Promise<HeldStream> {
  const { customer } = await stage.enter();
  const key = await stage.keyWithStreams(customer, 1);
  stage.provider.on('upstream-priced', streamedResponse({ tokens: 4_000, delayMs: 50 }));
  const response = await chat(stage.proxy, key, { model: 'test/priced-output', stream: true });
  const reader = response.body?.getReader();
  if (response.status !== 200 || reader === undefined) throw new Error(`no stream, but status ${response.status}`);
  return { key, release: () => reader.cancel() };
}
