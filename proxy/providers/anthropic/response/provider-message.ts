/**
 * What the gateway reads of Anthropic's messages, whole or streamed: https://platform.claude.com/docs/en/api/messages.
 * Events, content blocks and deltas of other types are ignored, regardless of their content.
 */
import { type Static, type TObject, type TSchema, type TUnion, Type } from '@sinclair/typebox';
import { TypeCompiler } from '@sinclair/typebox/compiler';
import { isObject } from '../../../../shared/members.ts';
import { parseExact } from '../../../nouns/json/parse-exact.ts';
import { asRecord } from '../../../nouns/json/record.ts';
import { UpstreamFailure } from '../../../nouns/upstream-failure.ts';
import { failureInside } from './read-failure.ts';

const nullish = <Schema extends TSchema>(schema: Schema) => Type.Optional(Type.Union([schema, Type.Null()]));
const text = nullish(Type.String());
const anything = Type.Optional(Type.Unknown());
const position = nullish(Type.Integer());

const message = Type.Object({
  id: text,
  content: nullish(Type.Array(Type.Unknown())),
  stop_reason: text,
  usage: anything,
});

const block = Type.Union([
  Type.Object({ type: Type.Literal('text'), text, citations: anything }),
  Type.Object({ type: Type.Literal('server_tool_use'), id: anything, name: anything, input: anything }),
  Type.Object({ type: Type.Literal('web_search_tool_result'), tool_use_id: anything, content: anything }),
  Type.Object({ type: Type.Literal('thinking'), thinking: text, signature: text }),
  Type.Object({ type: Type.Literal('redacted_thinking'), data: text }),
  Type.Object({ type: Type.Literal('tool_use'), id: text, name: text, input: anything }),
]);

const delta = Type.Union([
  Type.Object({ type: Type.Literal('text_delta'), text }),
  Type.Object({ type: Type.Literal('citations_delta'), citation: anything }),
  Type.Object({ type: Type.Literal('thinking_delta'), thinking: text }),
  Type.Object({ type: Type.Literal('signature_delta'), signature: text }),
  Type.Object({ type: Type.Literal('input_json_delta'), partial_json: text }),
]);

const event = Type.Union([
  Type.Object({ type: Type.Literal('message_start'), message }),
  Type.Object({ type: Type.Literal('content_block_start'), index: position, content_block: anything }),
  Type.Object({ type: Type.Literal('content_block_delta'), index: position, delta: anything }),
  Type.Object({ type: Type.Literal('content_block_stop'), index: position }),
  Type.Object({
    type: Type.Literal('message_delta'),
    delta: nullish(Type.Object({ stop_reason: text })),
    usage: anything,
  }),
  Type.Object({ type: Type.Literal('message_stop') }),
]);

export type ProviderMessage = Static<typeof message>;
export type ProviderEvent = Static<typeof event>;

export const readBlock = readerOf(block);
export const readDelta = readerOf(delta);
const readKnownEvent = readerOf(event);
const messageCheck = TypeCompiler.Compile(message);

/** Throws UpstreamFailure if the text is not a message, or has an error. */
export function readMessage(body: string): ProviderMessage & { readonly content: readonly unknown[] } {
  const value = parse(body);
  if (!messageCheck.Check(value) || !Array.isArray(value.content)) throw unreadable();
  return { ...value, content: value.content };
}

/** Undefined for events of other types. Throws UpstreamFailure if the event is unreadable, or an error. */
export function readEvent(data: string): ProviderEvent | undefined {
  return readKnownEvent(parse(data));
}

function parse(json: string): unknown {
  const value = parseJson(json);
  const error = asRecord(value).error ?? undefined;
  if (error !== undefined) throw failureInside(error);
  return value;
}

function parseJson(json: string): unknown {
  try {
    return parseExact(json);
  } catch (cause) {
    throw new UpstreamFailure('malformed', 'The provider returned a response that is not JSON.', { cause });
  }
}

/** Undefined for types that are not in the union. Throws UpstreamFailure if other members are invalid. */
function readerOf<Schema extends TUnion<TObject[]>>(union: Schema): (value: unknown) => Static<Schema> | undefined {
  const types = new Set<unknown>(union.anyOf.map((variant) => variant.properties.type?.const));
  const check = TypeCompiler.Compile(union);
  return (value) => {
    if (!isObject(value) || !types.has(value.type)) return undefined;
    if (!check.Check(value)) throw unreadable();
    return value;
  };
}

function unreadable(): UpstreamFailure {
  return new UpstreamFailure('malformed', 'The provider returned an unreadable response.');
}
