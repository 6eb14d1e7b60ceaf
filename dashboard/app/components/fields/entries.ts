/** Lists that are typed into one field, and which entry the API does not accept. */
import { ApiError } from '../../api/api-error.ts';

/** What was typed, without empty lines. Commas separate entries too. */
export const entriesOf = (text: string): string[] => text.split(/[\s,;]+/).filter((entry) => entry !== '');

/** Undefined if the error is about no entry of the field. `param` is what the API calls it. */
export function entryAtFault(error: unknown, param: string, text: string): string | undefined {
  if (!(error instanceof ApiError) || error.param === undefined || !error.param.startsWith(`${param}[`))
    return undefined;
  return entriesOf(text)[Number(error.param.slice(param.length + 1, -1))] ?? '';
}
