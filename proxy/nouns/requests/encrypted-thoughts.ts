/**
 * The `encrypted_content` of a reasoning item: a model's signed thinking, which it needs back unchanged on the next
 * turn. The provider has encrypted or signed it, so the gateway does not encrypt it again. To clients the text is
 * opaque.
 */
import { Type } from '@sinclair/typebox';
import { TypeCompiler } from '@sinclair/typebox/compiler';
import { type JsonLimits, JsonScanner, jsonLimits } from '../../../shared/http/intake/json-scanner.ts';
import type { ThinkingBlock } from '../chat-completion.ts';
import { listLimits } from './fields.ts';

/** Distinguishes text made by this gateway from that of other services. */
const prefix = 'thoughts1.';
/** A block has two or three members. */
const thoughtLimits: JsonLimits = { ...jsonLimits, values: 4 * listLimits.toolCalls };

const thinkingBlocks = TypeCompiler.Compile(
  Type.Array(
    Type.Object({
      type: Type.Union([Type.Literal('thinking'), Type.Literal('redacted_thinking')]),
      thinking: Type.Optional(Type.String()),
      signature: Type.Optional(Type.String()),
      data: Type.Optional(Type.String()),
    }),
    { minItems: 1 },
  ),
);

export function encodeThoughts(blocks: readonly ThinkingBlock[]): string {
  return prefix + Buffer.from(JSON.stringify(blocks)).toString('base64url');
}

/** Whether the text is from this gateway; that of a provider with a Responses API of its own is the provider's. */
export function isOwnEncryption(text: string): boolean {
  return text.startsWith(prefix);
}

/** Undefined if the text was not made by `encodeThoughts`. Throws GatewayError `body_too_complex`. */
export function decodeThoughts(text: string): readonly ThinkingBlock[] | undefined {
  if (!isOwnEncryption(text)) return undefined;
  const json = Buffer.from(text.slice(prefix.length), 'base64url').toString();
  new JsonScanner(thoughtLimits).push(json);
  const value = parse(json);
  return thinkingBlocks.Check(value) ? value : undefined;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
