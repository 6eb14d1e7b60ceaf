/** A scripted provider's responses with a given message, given deltas or given chunks. */
import { eventOf, lastEvent } from '../../../local/demo-provider/event-stream.ts';
import { usageOf } from '../../../local/demo-provider/usage.ts';
import { chunkOf, completionOf, firstChunk, usageChunk } from './chunks.ts';
import { type Behaviour, eventStream, rawResponse } from './scripted-provider.ts';

const usageByDefault = usageOf(11, 7);

/** A whole chat completion with this message. */
export function messageResponse(message: object, finish = 'stop', usage: object = usageByDefault): Behaviour {
  return rawResponse(JSON.stringify({ ...completionOf({ content: null, ...message }, finish), usage }));
}

/** A stream of these deltas. */
export function deltasResponse(deltas: readonly object[], finish = 'stop', usage: object = usageByDefault): Behaviour {
  return chunksResponse([firstChunk, ...deltas.map((delta) => chunkOf(delta)), chunkOf({}, finish), usageChunk(usage)]);
}

/** A stream of exactly these chunks. */
export function chunksResponse(chunks: readonly object[]): Behaviour {
  return rawResponse(chunks.map(eventOf).join('') + lastEvent, eventStream);
}

/** A stream of events that name their type, as those of Anthropic and of OpenAI's Responses API do. */
export function typedEventsResponse(events: readonly TypedEvent[]): Behaviour {
  return rawResponse(framed(events), eventStream);
}

export function framed(events: readonly TypedEvent[]): string {
  return events.map((event) => `event: ${event.type}\n${eventOf(event)}`).join('');
}

export type TypedEvent = { readonly type: string } & Readonly<Record<string, unknown>>;
