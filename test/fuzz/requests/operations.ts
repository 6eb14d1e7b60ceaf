/** Every operation of both OpenAPI documents, with the parts of a valid request. */
import { join } from 'node:path';
import type fc from 'fast-check';
import { type OpenApiDocument, operationsOf } from '../../harness/openapi/operations-of.ts';
import { arbitraryOf, type JsonSchema } from './arbitrary-of-schema.ts';

export type ProgramName = 'proxy' | 'admin';

interface Parameter {
  readonly name: string;
  readonly values: fc.Arbitrary<unknown>;
}

export interface FuzzedOperation {
  readonly program: ProgramName;
  readonly method: string;
  /** With its parameters as `{id}`. */
  readonly path: string;
  /** The names of security schemes, any of which is sufficient. */
  readonly schemes: readonly string[];
  readonly query: readonly Parameter[];
  /** It is refused without an Idempotency-Key. */
  readonly needsIdempotencyKey: boolean;
  readonly examples: readonly unknown[];
  /** Undefined if it takes no body. */
  readonly bodies: fc.Arbitrary<unknown> | undefined;
}

interface DocumentedParameter {
  readonly name: string;
  readonly in: string;
  readonly required: boolean;
  readonly schema: JsonSchema;
}

const root = join(import.meta.dir, '../../..');

export const documents: Readonly<Record<ProgramName, OpenApiDocument>> = {
  proxy: await Bun.file(join(root, 'shared/openapi/inference.json')).json(),
  admin: await Bun.file(join(root, 'test/admin/api/docs/openapi.snapshot.json')).json(),
};

export const fuzzedOperations: readonly FuzzedOperation[] = (['proxy', 'admin'] as const).flatMap((program) => {
  const schemas: Readonly<Record<string, JsonSchema>> = Object(documents[program].components.schemas);
  return operationsOf(documents[program]).map(({ route, security = [], parameters = [], requestBody }) => {
    const [method = '', path = ''] = route.split(' ');
    const media = requestBody?.content['application/json'];
    const named = parameters.map((parameter): DocumentedParameter => Object(parameter));
    const examples = [media?.example, ...Object.values(media?.examples ?? {}).map(({ value }) => value)];
    return {
      program,
      method,
      path,
      schemes: security.flatMap(Object.keys),
      needsIdempotencyKey: named.some(({ name, required }) => name === 'Idempotency-Key' && required),
      query: named
        .filter((parameter) => parameter.in === 'query')
        .map(({ name, schema }) => ({ name, values: arbitraryOf(schema, schemas) })),
      examples: examples.filter((example) => example !== undefined),
      bodies: media?.schema && arbitraryOf(Object(media.schema), schemas),
    };
  });
});
