/**
 * What we read of a provider's completion object or chunk. Providers leave out what they like, so nearly everything
 * is optional; what we do not read is passed on as it came.
 */
import { type Static, Type } from '@sinclair/typebox';
import { TypeCompiler } from '@sinclair/typebox/compiler';
import { UpstreamFailure } from '../../upstream/upstream-failure.ts';

const nullish = <Schema extends Parameters<typeof Type.Optional>[0]>(schema: Schema) =>
  Type.Optional(Type.Union([schema, Type.Null()]));

const message = Type.Object({
  role: nullish(Type.String()),
  content: nullish(Type.String()),
  reasoning_content: nullish(Type.String()),
  tool_calls: nullish(
    Type.Array(Type.Object({ function: nullish(Type.Object({ arguments: nullish(Type.String()) })) })),
  ),
});

const completionObject = Type.Object({
  id: nullish(Type.String()),
  created: nullish(Type.Number()),
  model: nullish(Type.String()),
  choices: Type.Optional(
    Type.Array(
      Type.Object({
        index: nullish(Type.Integer()),
        message: nullish(message),
        delta: nullish(message),
        finish_reason: nullish(Type.String()),
      }),
    ),
  ),
  usage: Type.Optional(Type.Unknown()),
  error: Type.Optional(Type.Unknown()),
});

export type CompletionObject = Static<typeof completionObject>;

const check = TypeCompiler.Compile(completionObject);

/** Throws UpstreamFailure where the text is not such an object, or carries an error. */
export function readCompletionObject(text: string): CompletionObject {
  const value = parse(text);
  if (!check.Check(value)) throw new UpstreamFailure('malformed', 'The provider answered something unreadable.');
  if (value.error !== undefined && value.error !== null) {
    throw new UpstreamFailure('refused', errorMessageOf(value) ?? 'The provider reported an error.');
  }
  return value;
}

/** The message of an error body in any of the shapes that are known, or undefined. */
export function readErrorMessage(text: string): string | undefined {
  try {
    return errorMessageOf(JSON.parse(text));
  } catch {
    return undefined;
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new UpstreamFailure('malformed', 'The provider answered something that is not JSON.', { cause });
  }
}

function errorMessageOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value !== 'object' || value === null) return undefined;
  if ('error' in value && value.error !== null) return errorMessageOf(value.error);
  return 'message' in value && typeof value.message === 'string' ? value.message : undefined;
}
