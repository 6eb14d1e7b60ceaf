/**
 * Applies limits to the text of a demo model: cut at `max_tokens` and before a stop
 * sequence, with the token count to be charged.
 */
import { type Piece, toPieces } from './tokens.ts';

export interface Generation {
  pieces: string[];
  text: string;
  completionTokens: number;
  finishReason: 'stop' | 'length';
}

export function generate(text: string, options: { tokensMax: number; stop: readonly string[] }): Generation {
  const { kept, isCut } = withinLimit(toPieces(text), options.tokensMax);
  const written = kept.map((piece) => piece.text).join('');
  const end = firstStop(written, options.stop);
  if (end === undefined) return finish(kept, { textLength: written.length, finishReason: isCut ? 'length' : 'stop' });
  return finish(piecesUntil(kept, end.after), { textLength: end.before, finishReason: 'stop' });
}

function withinLimit(pieces: Piece[], tokensMax: number): { kept: Piece[]; isCut: boolean } {
  let tokens = 0;
  const firstOver = pieces.findIndex((piece) => {
    tokens += piece.tokens;
    return tokens > tokensMax;
  });
  return firstOver === -1 ? { kept: pieces, isCut: false } : { kept: pieces.slice(0, firstOver), isCut: true };
}

/** Where the earliest stop sequence begins and ends. */
function firstStop(text: string, stop: readonly string[]): { before: number; after: number } | undefined {
  return stop
    .map((sequence) => ({ before: text.indexOf(sequence), after: text.indexOf(sequence) + sequence.length }))
    .filter(({ before }) => before !== -1)
    .sort((a, b) => a.before - b.before)[0];
}

/** A model generates the whole stop sequence before it can be detected, so those tokens count. */
function piecesUntil(pieces: Piece[], length: number): Piece[] {
  let position = 0;
  return pieces.filter((piece) => {
    const isNeeded = position < length;
    position += piece.text.length;
    return isNeeded;
  });
}

function finish(pieces: Piece[], options: { textLength: number; finishReason: 'stop' | 'length' }): Generation {
  let left = options.textLength;
  const shown = pieces.map((piece) => {
    const part = piece.text.slice(0, left);
    left -= part.length;
    return part;
  });
  return {
    pieces: shown.filter((part) => part !== ''),
    text: shown.join(''),
    completionTokens: pieces.reduce((sum, piece) => sum + piece.tokens, 0),
    finishReason: options.finishReason,
  };
}

/** The `usage` object of a response. */
export interface Usage {
  prompt_tokens: number;
  completion_tokens: number;
  total_tokens: number;
}

export function usageOf(promptTokens: number, completionTokens: number): Usage {
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
  };
}
