/**
 * Applies limits to the text of a demo model: cut at `max_tokens` and before a stop
 * sequence, with the token count to be charged.
 */
import { type TextSegment, toSegments } from './tokens.ts';

export interface Generation {
  segments: string[];
  text: string;
  completionTokens: number;
  finishReason: 'stop' | 'length';
}

export function generate(text: string, options: { tokensMax: number; stop: readonly string[] }): Generation {
  const { kept, isCut } = withinLimit(toSegments(text), options.tokensMax);
  const written = kept.map((segment) => segment.text).join('');
  const end = firstStop(written, options.stop);
  if (end === undefined) return finish(kept, { textLength: written.length, finishReason: isCut ? 'length' : 'stop' });
  return finish(segmentsUntil(kept, end.after), { textLength: end.before, finishReason: 'stop' });
}

function withinLimit(segments: TextSegment[], tokensMax: number): { kept: TextSegment[]; isCut: boolean } {
  let tokens = 0;
  const firstOver = segments.findIndex((segment) => {
    tokens += segment.tokens;
    return tokens > tokensMax;
  });
  return firstOver === -1 ? { kept: segments, isCut: false } : { kept: segments.slice(0, firstOver), isCut: true };
}

/** Where the earliest stop sequence begins and ends. */
function firstStop(text: string, stop: readonly string[]): { before: number; after: number } | undefined {
  return stop
    .map((sequence) => ({ before: text.indexOf(sequence), after: text.indexOf(sequence) + sequence.length }))
    .filter(({ before }) => before !== -1)
    .sort((a, b) => a.before - b.before)[0];
}

/** A model generates the whole stop sequence before it can be detected, so those tokens count. */
function segmentsUntil(segments: TextSegment[], length: number): TextSegment[] {
  let position = 0;
  return segments.filter((segment) => {
    const isNeeded = position < length;
    position += segment.text.length;
    return isNeeded;
  });
}

function finish(segments: TextSegment[], options: { textLength: number; finishReason: 'stop' | 'length' }): Generation {
  let left = options.textLength;
  const shown = segments.map((segment) => {
    const part = segment.text.slice(0, left);
    left -= part.length;
    return part;
  });
  return {
    segments: shown.filter((part) => part !== ''),
    text: shown.join(''),
    completionTokens: segments.reduce((sum, segment) => sum + segment.tokens, 0),
    finishReason: options.finishReason,
  };
}
