/**
 * A stored response as the client of a repetition gets it: whole or streamed, as it asks for, in the API format that it called,
 * and at no cost. Where it was given in the same form, it is the same again.
 */

import type { Call } from '../../../nouns/call.ts';
import type { ChatChunk, ChatCompletion } from '../../../nouns/chat-completion.ts';
import type { Dialect } from '../../../nouns/dialect.ts';
import { asRecord, type JsonRecord } from '../../../nouns/json/record.ts';
import { renderUsage } from '../../../pricing/render-usage.ts';
import { type CachedResponse, freeCharge } from '../stored-form.ts';
import { chunksOfWhole } from './chunks-of-whole.ts';
import { chunkEvent, dataOf, withAnnouncement } from './events.ts';
import { eventsOfResponse } from './events-of-response.ts';
import { type CompletionKind, wholeOfChunks } from './whole-of-chunks.ts';

interface Repetition {
  readonly call: Call;
  readonly dialect: Dialect | undefined;
  readonly requestId: string;
}

const endMark = 'data: [DONE]\n\n';

/** Undefined if it was given in the other form, and has something that cannot be said in this one. */
export function renderHit(stored: CachedResponse, repetition: Repetition): string | undefined {
  if (stored.isTranslated) return renderTranslated(stored, repetition.call);
  const { kind } = repetition.call;
  if (kind !== 'chat' && kind !== 'completion') return stored.form === 'whole' ? stored.text : undefined;
  return repetition.call.stream ? renderEvents(stored, repetition, kind) : renderWhole(stored, repetition, kind);
}

function renderTranslated({ form, text, ending }: CachedResponse, { stream }: Call): string | undefined {
  if (form === 'whole') return stream ? eventsOfResponse(asRecord(JSON.parse(text))) : text;
  if (stream) return text + ending;
  // The last event has all of it.
  const [last] = dataOf(ending)
    .map((data) => asRecord(JSON.parse(data)))
    .filter(({ response }) => response !== undefined);
  return last && JSON.stringify(last.response);
}

function renderWhole(stored: CachedResponse, { call, dialect, requestId }: Repetition, kind: CompletionKind) {
  const charge = freeCharge(stored);
  let { text } = stored;
  if (stored.form === 'events') {
    const whole = wholeOfChunks(dataOf(text).map(parsed), kind);
    if (whole === undefined) return undefined;
    text = `${JSON.stringify(whole).slice(0, -1)},"usage":${renderUsage(charge)}}`;
  }
  // It was rendered for a chat model.
  return dialect === undefined
    ? text
    : dialect.renderBody(JSON.parse(text) as ChatCompletion, { call, charge, requestId });
}

function renderEvents(stored: CachedResponse, { call, dialect, requestId }: Repetition, kind: CompletionKind) {
  const charge = freeCharge(stored);
  const chunks =
    stored.form === 'events'
      ? dataOf(stored.text)
      : chunksOfWhole(parsed(stored.text), kind)?.map((chunk) => JSON.stringify(chunk));
  if (chunks === undefined) return undefined;
  if (dialect !== undefined) {
    const events = dialect.openStream(call, requestId);
    return chunks.map((chunk) => events.push(JSON.parse(chunk) as ChatChunk)).join('') + events.close(charge);
  }
  const includesUsage = 'includeUsage' in call && call.includeUsage;
  const isAsAsked = stored.form === 'events' && stored.announcesUsage === includesUsage;
  const events = isAsAsked
    ? stored.text
    : chunks.map((chunk) => chunkEvent(withAnnouncement(chunk, includesUsage))).join('');
  if (!includesUsage) return events + endMark;
  const { id, object, created, model } = parsed(chunks[0] ?? '{}');
  const last = JSON.stringify({ id, object, created, model, choices: [] });
  return `${events}${chunkEvent(`${last.slice(0, -1)},"usage":${renderUsage(charge)}}`)}${endMark}`;
}

function parsed(json: string): JsonRecord {
  return asRecord(JSON.parse(json));
}
