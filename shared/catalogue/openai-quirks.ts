/**
 * How providers that speak OpenAI's protocol differ from OpenAI, as configuration. Everything is optional; without any,
 * a request is sent as the client wrote it, except for parameters that decide its cost and unknown ones.
 */
import { Type } from '@sinclair/typebox';

const parameterName = '^[A-Za-z_][A-Za-z0-9_]{0,63}$';
const headerName = '^[a-z][a-z0-9-]{0,63}$';
/** All except those that the gateway or HTTP sets. */
const extraHeaderName =
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
  /** The name of `seed`. */
  seedParameter: parameter,
  /** The value for `tool_choice: required`. */
  toolChoiceRequired: choice('required', 'any'),
  /** The form of tool call ids. Ids of any other form are replaced, always by the same one. */
  toolCallIds: choice('alphanumeric9'),
  /** The role given to `developer` messages if the provider does not know it. */
  developerRole: choice('developer', 'system'),
  /**
   * Whether messages of the model carry their `reasoning_content`: if they have it, never, or also as an empty string
   * if they call tools and the client has dropped it, which DeepSeek refuses otherwise.
   */
  reasoningContent: choice('always', 'required', 'never'),
  /** How reasoning effort is passed on, however the client wrote it; `none` drops it. */
  reasoningParameter: choice('reasoning_effort', 'reasoning', 'none'),
  /** Whether the provider knows Anthropic's `cache_control`; if not, the marks are removed. */
  cacheControl: choice('drop', 'pass'),
  /** Whether the provider knows Google's `extra_content`, with the signatures of thoughts; if not, it is removed. */
  extraContent: choice('drop', 'pass'),
  /**
   * What OpenRouter reads documents with. For models that take no files it chooses an engine that it bills by the page, which no
   * model has a price for here. With `native`, such models refuse documents.
   */
  documentEngine: choice('native', 'cloudflare-ai'),
  /** Parameters silently removed from requests. */
  dropParameters: parameters,
  /** Passed on in addition to those known to be free: the provider must not bill for them. */
  allowParameters: parameters,
  /** Refused with 400 `unsupported_parameter`, unless null. */
  refuseParameters: parameters,
  /** False for a provider that refuses `stream_options`; it reports its usage unasked, or is estimated. */
  streamUsage: Type.Optional(Type.Boolean({ expected: 'true or false' })),
  /** The member of `usage` that counts cached prompt tokens, if it is not one of the known ones. */
  cachedTokensField: parameter,
  /** Prepended to the deployment's model, such as `gpt://folder/`. */
  modelPrefix: words('a string without spaces'),
  /** The header that carries the key; `authorization` by default. */
  authHeader: Type.Optional(Type.String({ pattern: headerName, expected: "a header's name in lower case" })),
  /** The scheme before the key; by default `Bearer` in `authorization`, and none in another header. */
  authScheme: words('a word such as Bearer'),
  /** Additional headers of every request. Not for secrets, because the catalogue is not a place for them. */
  headers: mapping(
    extraHeaderName,
    'a mapping of header names in lower case to strings, without those that the gateway sets itself',
  ),
  /** Query parameters of every request, such as Azure's `api-version`. */
  query: mapping('^[A-Za-z0-9._~-]{1,64}$', 'a mapping of names to strings'),
  /** Where models of images are asked; beside `paths`, in which versions without such models know no further member. */
  imagePath: path,
  editPath: path,
  moderationPath: path,
  rerankPath: path,
  speechPath: path,
  transcriptionPath: path,
  translationPath: path,
  /** Where each other kind of model is asked, behind `baseUrl`. */
  paths: Type.Optional(
    Type.Object(
      { chat: path, completion: path, embedding: path },
      { additionalProperties: false, expected: 'paths for chat, completion, embedding' },
    ),
  ),
};
