/**
 * OpenAI's published schemas, against which every response of the gateway is validated. They are stored next to the
 * checkout; if they are missing, `openaiSchemasMissing` is true and the tests that need them are skipped and say so.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import Ajv, { type ValidateFunction } from 'ajv/dist/2020.js';

const path = join(import.meta.dir, '../../../../shared/openai-schemas.json');

export const openaiSchemasMissing = !existsSync(path);
if (openaiSchemasMissing) console.info(`skipped what needs ${path}, which is missing`);

export type OpenaiSchema =
  | 'CreateChatCompletionResponse'
  | 'CreateChatCompletionStreamResponse'
  | 'CreateCompletionResponse'
  /**
   * A streamed chunk of a text completion: the published schema has none, and its `finish_reason` is null until the
   * last.
   */
  | 'TextCompletionChunk'
  | 'CreateEmbeddingResponse'
  | 'ListModelsResponse'
  | 'ErrorResponse';

const validators = new Map<OpenaiSchema, ValidateFunction>();
let ajv: Ajv | undefined;

/** Validation errors; empty if the value is valid. */
export function schemaProblems(schema: OpenaiSchema, value: unknown): readonly string[] {
  const validate = validators.get(schema) ?? compile(schema);
  if (validate(value)) return [];
  return (validate.errors ?? []).map(
    ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
  );
}

function compile(schema: OpenaiSchema): ValidateFunction {
  ajv ??= loadSchemas();
  const validate = ajv.getSchema(`openai#/components/schemas/${schema}`);
  if (validate === undefined) throw new Error(`there is no schema ${schema}`);
  validators.set(schema, validate);
  return validate;
}

interface SchemaDocument {
  readonly components: { readonly schemas: Record<string, unknown> };
}

function loadSchemas(): Ajv {
  const document = withoutOpenApi(JSON.parse(readFileSync(path, 'utf8'))) as SchemaDocument;
  const { schemas } = document.components;
  schemas.TextCompletionChunk = chunkOf(schemas.CreateCompletionResponse);
  const loaded = new Ajv({ strict: false, validateFormats: false, allErrors: true });
  loaded.addSchema({ $id: 'openai', ...document });
  return loaded;
}

/** `nullable` and `discriminator` are OpenAPI's, not JSON Schema's. */
function withoutOpenApi(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withoutOpenApi);
  if (typeof schema !== 'object' || schema === null) return schema;
  const { nullable, discriminator: _, ...rest } = schema as Record<string, unknown>;
  const rewritten = Object.fromEntries(Object.entries(rest).map(([name, value]) => [name, withoutOpenApi(value)]));
  return nullable === true ? { anyOf: [rewritten, { type: 'null' }] } : rewritten;
}

function chunkOf(completion: unknown): unknown {
  const text = JSON.stringify(completion)
    .replace('"finish_reason":{"type":"string"', '"finish_reason":{"type":["string","null"]')
    .replace('"enum":["stop","length","content_filter"]', '"enum":["stop","length","content_filter",null]')
    .replace(
      '"usage":{"$ref":"#/components/schemas/CompletionUsage"}',
      '"usage":{"anyOf":[{"$ref":"#/components/schemas/CompletionUsage"},{"type":"null"}]}',
    );
  return JSON.parse(text);
}
