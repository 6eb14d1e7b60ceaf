/**
 * How providers that speak OpenAI's protocol differ from OpenAI, as configuration. Every one is optional; without any,
 * a request leaves as the client wrote it, but for what decides its cost and parameters that are not known.
 */
import { Type } from '@sinclair/typebox';

const parameterName = '^[A-Za-z_][A-Za-z0-9_]{0,63}$';
const headerName = '^[a-z][a-z0-9-]{0,63}$';
/** All but those that are written by us, or by what carries the request. */
const furtherHeaderName =
  '^(?!(?:authorization|host|content-length|content-type|connection|transfer-encoding|accept|accept-encoding)$)' +
  headerName.slice(1);

const choice = <Value extends string | false>(...values: readonly Value[]) =>
  Type.Optional(
    Type.Union(
      values.map((value) => Type.Literal(value)),
      { expected: values.map(String).join(' or ') },
    ),
  );
const parameters = Type.Optional(
  Type.Array(Type.String({ pattern: parameterName, expected: "a parameter's name" }), {
    expected: 'a list of parameters',
  }),
);
const parameter = Type.Optional(Type.String({ pattern: parameterName, expected: "a parameter's name" }));
const words = (expected: string) => Type.Optional(Type.String({ pattern: '^[!-~]{1,256}$', expected }));
const printable = Type.String({ pattern: '^[ -~]{0,1024}$', expected: 'printable ASCII' });
const mapping = (keys: string, expected: string) =>
  Type.Optional(Type.Record(Type.String({ pattern: keys }), printable, { additionalProperties: false, expected }));
const path = Type.Optional(
  Type.String({
    pattern: '^/[^\\s?#]*$',
    expected: 'a path that begins with /, in which {model} stands for the deployment’s model',
  }),
);

export const openaiQuirks = {
  /** The parameter that caps the output; `max_completion_tokens` for OpenAI's reasoning models. */
  outputCapParameter: choice('max_tokens', 'max_completion_tokens'),
  /** What `seed` is called. */
  seedParameter: parameter,
  /** What is said for `tool_choice: required`. */
  toolChoiceRequired: choice('required', 'any'),
  /** Tool call ids of any other form are replaced, each always by the same one. */
  toolCallIds: choice('alphanumeric9'),
  /** The role that `developer` messages are given where the provider does not know it. */
  developerRole: choice('developer', 'system'),
  /**
   * Whether messages of the model take their `reasoning_content` along: where they have it, never, or also as an empty
   * text where they call tools and the client has lost it, which DeepSeek refuses otherwise.
   */
  reasoningContent: choice('always', 'required', 'never'),
  /** The one way in which a reasoning effort is said, however the client said it; `none` drops it. */
  reasoningParameter: choice('reasoning_effort', 'reasoning', 'none'),
  /** Whether the provider knows Anthropic's `cache_control`; the marks are taken out where it does not. */
  cacheControl: choice('drop', 'pass'),
  /** Taken out of a request, unseen by the client. */
  dropParameters: parameters,
  /** Passed on beside those that are known to be free: the provider must not bill for them. */
  allowParameters: parameters,
  /** Refused with 400 `unsupported_parameter`, unless null. */
  refuseParameters: parameters,
  /** False for a provider that refuses `stream_options`; it reports its usage unasked, or is estimated. */
  streamUsage: Type.Optional(Type.Boolean({ expected: 'true or false' })),
  /** The member of `usage` that counts cached prompt tokens, where it is none of the known ones. */
  cachedTokensField: parameter,
  /** Put before the deployment's model, such as `gpt://folder/`. */
  modelPrefix: words('text without spaces'),
  /** The header that carries the key; `authorization` by default. */
  authHeader: Type.Optional(Type.String({ pattern: headerName, expected: "a header's name in lower case" })),
  /** The word before the key; by default `Bearer` in `authorization`, and none in another header. */
  authScheme: words('a word such as Bearer'),
  /** Further headers of every request. Not for secrets: the catalogue is no place for them. */
  headers: mapping(
    furtherHeaderName,
    'a mapping of header names in lower case to texts, without those that the gateway writes itself',
  ),
  /** Parameters behind the `?` of every request, such as Azure's `api-version`. */
  query: mapping('^[A-Za-z0-9._~-]{1,64}$', 'a mapping of names to texts'),
  /** Where models of images are asked; beside `paths`, in which versions without such models know no further member. */
  imagePath: path,
  /** Where each other kind of model is asked, behind `baseUrl`. */
  paths: Type.Optional(
    Type.Object(
      { chat: path, completion: path, embedding: path },
      { additionalProperties: false, expected: 'paths for chat, completion, embedding' },
    ),
  ),
};
