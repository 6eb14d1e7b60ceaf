/**
 * What a request says of the dimensions that its organization asks for (dimension-names.ts). Nothing in it can fail a request:
 * what is no text, or is empty, is left out, and a long text is cut.
 */
import type { ChargeDetail } from '../../../shared/usage/charge-detail.ts';
import { type DimensionName, metadataNameOf } from '../../../shared/usage/dimension-names.ts';
import type { Call } from '../../nouns/call.ts';
import { isResponsesCall } from '../../nouns/requests/responses-request.ts';

/** In characters, as Postgres counts them. */
export const dimensionValueMax = 64;

/** Null if it says nothing. */
export function readDimensions(call: Call, names: readonly DimensionName[]): ChargeDetail['dimensions'] {
  // The body of a Responses call is a translation, without its metadata.
  const { user, metadata = metadataOf(call) } = isResponsesCall(call) ? call.settings.request : call.body;
  let values: Record<string, string> | null = null;
  for (const name of names) {
    const ofMetadata = metadataNameOf(name);
    const value = storableText(ofMetadata === undefined ? user : memberOf(metadata, ofMetadata));
    if (value === undefined) continue;
    values ??= {};
    values[name] = value;
  }
  return values;
}

/** Of a translation that is not the Responses API's. */
function metadataOf(call: Call): unknown {
  return call.kind === 'chat' ? call.metadata : undefined;
}

function memberOf(metadata: unknown, name: string): unknown {
  if (typeof metadata !== 'object' || metadata === null || !Object.hasOwn(metadata, name)) return undefined;
  return (metadata as Readonly<Record<string, unknown>>)[name];
}

const replacement = '\uFFFD';

/** As Postgres can store it: halves of a pair and the character 0 are replaced. */
function storableText(value: unknown): string | undefined {
  if (typeof value !== 'string' || value === '') return undefined;
  const text = value.length > dimensionValueMax ? firstCharacters(value) : value;
  return text.toWellFormed().replaceAll('\0', replacement);
}

function firstCharacters(text: string): string {
  // A character has one unit or two.
  return [...text.slice(0, 2 * dimensionValueMax)].slice(0, dimensionValueMax).join('');
}
