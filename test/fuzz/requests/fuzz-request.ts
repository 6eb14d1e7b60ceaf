/**
 * A request as it is drawn. Values that only a run knows (keys, tokens, ids) are placeholders such as `{{proxyKey}}`,
 * which are filled in when it is sent, so that a seed generates the same requests in every run.
 */
import type { ProgramName } from './operations.ts';

export type BodyEncoding = 'utf-8' | 'utf-8 with a mark' | 'utf-16' | 'latin-1' | 'gzip' | 'cut inside of a character';

export interface FuzzRequest {
  readonly program: ProgramName;
  readonly method: string;
  /** As it is sent, with its query. */
  readonly target: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: { readonly text: string; readonly encoding: BodyEncoding } | undefined;
}

export type Names = Readonly<Record<string, string>>;

const pattern = /\{\{(\w+)\}\}/g;

/** `escaped` makes the value safe for its position. */
export function fill(text: string, names: Names, escaped: (value: string) => string = (value) => value): string {
  return text.replaceAll(pattern, (whole, name: string) => {
    const value = names[name];
    return value === undefined ? whole : escaped(value);
  });
}

export const insideJson = (value: string): string => JSON.stringify(value).slice(1, -1);
