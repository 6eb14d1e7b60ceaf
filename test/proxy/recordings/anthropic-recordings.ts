/** Recorded responses of Anthropic, and their meaning by the simplest possible reading. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ProviderEventObject } from '../providers/anthropic/message-events.ts';

const folder = join(import.meta.dir, '../../../../shared/recordings');
const recordings = existsSync(folder) ? readdirSync(folder).filter((name) => name.startsWith('anthropic-')) : [];
if (recordings.length === 0) console.info(`skipped what needs the recordings of ${folder}, which are missing`);

export const read = (name: string) => readFileSync(join(folder, name), 'utf8');
export const streamed = recordings.filter((name) => name.endsWith('.chunks.txt'));
export const whole = recordings.filter((name) => name.endsWith('.json'));

export function eventsOf(name: string): ProviderEventObject[] {
  return read(name)
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => JSON.parse(line));
}

const schema = { type: 'object', properties: { elements: { type: 'array' } }, required: ['elements'] };
const jsonFormat = { type: 'json_schema', json_schema: { name: 'weather', schema } };
/** The client's request in this recording. */
export const fieldsOf = (name: string) => (name.includes('json-tool') ? { response_format: jsonFormat } : {});
export const jsonToolOf = (name: string) => (name.includes('json-tool') ? 'json' : undefined);

/** The counts in the provider's last event. */
export function countsOf(usage: Record<string, number>): { prompt: number; completion: number } {
  const { input_tokens = 0, cache_creation_input_tokens = 0, cache_read_input_tokens = 0, output_tokens = 0 } = usage;
  return { prompt: input_tokens + cache_creation_input_tokens + cache_read_input_tokens, completion: output_tokens };
}

/** Everything that the provider generated, by the simplest possible reading. */
export function truthOf(name: string) {
  const events = eventsOf(name);
  const deltas = events.flatMap((event) => (event.type === 'content_block_delta' ? [event.delta as DeltaObject] : []));
  const final = events.find(({ type }) => type === 'message_delta') as unknown as FinalEvent;
  return {
    text: deltas.map((delta) => delta.text ?? '').join(''),
    input: deltas.map((delta) => delta.partial_json ?? '').join(''),
    stopReason: final.delta.stop_reason,
    counts: countsOf(final.usage),
  };
}

interface DeltaObject {
  readonly text?: string;
  readonly partial_json?: string;
}

interface FinalEvent {
  readonly delta: { readonly stop_reason: string };
  readonly usage: Record<string, number>;
}
