/** The operations of an OpenAPI document, with the parts that tests use. */

export interface Schema {
  readonly $ref?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, object>>;
  /** The schema of a stream's events. */
  readonly contentSchema?: Schema;
}

export interface MediaType {
  readonly schema?: Schema;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
}

export interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: object;
}

export interface Operation {
  /** `POST /v1/chat/completions`. */
  readonly route: string;
  readonly operationId?: string;
  readonly summary?: string;
  readonly description?: string;
  readonly tags?: readonly string[];
  readonly security?: readonly Readonly<Record<string, unknown>>[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly required?: boolean; readonly content: Readonly<Record<string, MediaType>> };
  readonly responses: Readonly<Record<string, DocumentedResponse>>;
}

export interface DocumentedResponse {
  readonly description?: string;
  readonly headers?: Readonly<Record<string, object>>;
  readonly content?: Readonly<Record<string, MediaType>>;
}

export interface OpenApiDocument {
  readonly info?: { readonly title: string };
  readonly openapi: string;
  readonly servers?: readonly { readonly url: string }[];
  readonly tags: readonly { readonly name: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Omit<Operation, 'route'>>>>>;
  readonly components: {
    readonly securitySchemes: Readonly<Record<string, unknown>>;
    readonly schemas: Readonly<Record<string, Schema>>;
  };
}

/** With shared responses and examples written where they are used. Schemas stay references. */
export function operationsOf(document: OpenApiDocument): Operation[] {
  return Object.entries(withoutReferences(document, ['responses', 'examples']).paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ ...operation, route: `${method.toUpperCase()} ${path}` })),
  );
}

const allKinds = ['schemas', 'responses', 'examples'] as const;
type Kind = (typeof allKinds)[number];

/** The same document with these components written where they are used, but for the error's schema. */
export function withoutReferences(document: OpenApiDocument, kinds: readonly Kind[] = allKinds): OpenApiDocument {
  const expand = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(expand);
    if (typeof value !== 'object' || value === null) return value;
    const [, , kind, name = ''] = String(Object(value).$ref).split('/');
    const isFollowed = name !== 'Error' && kinds.some((each) => each === kind);
    if (isFollowed) return expand(Object(document.components)[kind ?? ''][name]);
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, expand(each)]));
  };
  return { ...document, paths: expand(document.paths) as OpenApiDocument['paths'] };
}

/** The `$ref` of a response's schema for this media type; for a stream, of its events. */
export function schemaOf(response: DocumentedResponse | undefined, mediaType: string): string {
  const schema = response?.content?.[mediaType]?.schema;
  const reference = schema?.contentSchema?.$ref ?? schema?.$ref;
  if (reference === undefined) throw new Error(`no schema of ${mediaType}`);
  return reference;
}
