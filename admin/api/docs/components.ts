/**
 * Moves what several operations share into the document's components, so that it is written once and a client generator
 * has a name for it: bodies, objects with a title inside of them, errors, and examples of errors.
 */
import { isObject } from '../../../shared/members.ts';

type Json = unknown;
type JsonObject = Readonly<Record<string, Json>>;

interface Operation extends JsonObject {
  readonly operationId: string;
  readonly requestBody?: Body;
  readonly responses: Readonly<Record<string, Body>>;
}

interface Body extends JsonObject {
  readonly description?: string;
  readonly content?: Readonly<Record<string, MediaType>>;
}

interface MediaType extends JsonObject {
  readonly schema?: JsonObject;
  readonly examples?: Readonly<Record<string, Json>>;
}

export interface Document extends JsonObject {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: Readonly<Record<string, Readonly<Record<string, Json>>>>;
}

/** The same document with references. Throws if two different schemas have the same name. */
export function withComponents(document: Document): Document {
  const components = new Components();
  const shared = { ...document, paths: mapOperations(document, (operation) => components.nameBodies(operation)) };
  const { examples, responses } = sharedErrors(shared);
  return {
    ...document,
    paths: mapOperations(shared, (operation) => ({
      ...operation,
      responses: mapValues(operation.responses, (response) => responses.refer(referToExamples(response, examples))),
    })),
    components: {
      ...document.components,
      schemas: sorted({ ...document.components.schemas, ...components.schemas() }),
      responses: sorted(responses.named),
      examples: sorted(examples.named),
    },
  };
}

/** The named schemas. */
class Components {
  readonly #byName = new Map<string, JsonObject>();
  readonly #nameOf = new Map<string, string>();

  schemas(): Record<string, JsonObject> {
    return Object.fromEntries(this.#byName);
  }

  /** Bodies without a title are named by their operation, or by the first one that has the same. */
  nameBodies(operation: Operation): Operation {
    const { operationId, requestBody, responses } = operation;
    const prefix = operationId.slice(0, 1).toUpperCase() + operationId.slice(1);
    const named = (body: Body, suffix: string): Body =>
      mapContent(body, ({ schema, ...media }) => ({
        ...media,
        ...(schema !== undefined && { schema: this.#nameSchema(schema, `${prefix}${suffix}`) }),
      }));
    return {
      ...operation,
      ...(requestBody !== undefined && { requestBody: named(requestBody, 'Request') }),
      responses: mapValues(responses, (response) => named(response, 'Response')),
    };
  }

  #nameSchema(schema: JsonObject, fallback?: string): JsonObject {
    const { title, ...inner } = mapValues(schema, (value) => this.#nameInside(value));
    const name = typeof title === 'string' ? title : fallback;
    if (name === undefined || schema.properties === undefined || schema.nullable === true) return inner;
    const text = JSON.stringify(inner);
    const known = typeof title === 'string' ? undefined : this.#nameOf.get(text);
    if (known !== undefined) return reference('schemas', known);
    const former = this.#byName.get(name);
    if (former !== undefined && JSON.stringify(former) !== text) throw new Error(`Two schemas are named ${name}.`);
    this.#byName.set(name, inner);
    this.#nameOf.set(text, name);
    return reference('schemas', name);
  }

  #nameInside(value: Json): Json {
    if (Array.isArray(value)) return value.map((each) => this.#nameInside(each));
    if (!isObject(value)) return value;
    // A property may be called `title`.
    return typeof Object(value).type === 'string'
      ? this.#nameSchema(value as JsonObject)
      : mapValues(value as JsonObject, (each) => this.#nameInside(each));
  }
}

/** Which of several values has a name: the one that is most frequent. */
class Frequent {
  readonly named: Record<string, Json> = {};
  readonly #kind: string;
  readonly #nameOf = new Map<string, string>();

  constructor(kind: string, uses: readonly (readonly [name: string, value: Json])[]) {
    this.#kind = kind;
    for (const [name, group] of Map.groupBy(uses, ([name]) => name)) {
      const counts = [...Map.groupBy(group, ([, value]) => JSON.stringify(value))];
      const [[text, same] = ['', []]] = counts.sort(([, one], [, other]) => other.length - one.length);
      if (same.length < 2) continue;
      this.#nameOf.set(text, name);
      this.named[name] = same[0]?.[1];
    }
  }

  refer<Value extends Json>(value: Value): Value | JsonObject {
    const name = this.#nameOf.get(JSON.stringify(value));
    return name === undefined ? value : reference(this.#kind, name);
  }
}

/** Examples are named by their code, responses by their status. */
function sharedErrors({ paths }: Document): { examples: Frequent; responses: Frequent } {
  const errors = Object.values(paths)
    .flatMap((methods) => Object.values(methods))
    .flatMap(({ responses }) => Object.entries(responses).filter(([status]) => Number(status) >= 400));
  const examplesOf = ({ content = {} }: Body) =>
    Object.values(content).flatMap(({ examples = {} }) => Object.entries(examples));
  const examples = new Frequent(
    'examples',
    errors.flatMap(([, response]) => examplesOf(response)),
  );
  const responses = new Frequent(
    'responses',
    errors.map(([status, response]) => [`Error${status}`, referToExamples(response, examples)] as const),
  );
  return { examples, responses };
}

const referToExamples = (response: Body, examples: Frequent): Body =>
  mapContent(response, (media) => ({
    ...media,
    ...(media.examples !== undefined && { examples: mapValues(media.examples, (example) => examples.refer(example)) }),
  }));

const reference = (kind: string, name: string): JsonObject => ({ $ref: `#/components/${kind}/${name}` });

const mapContent = (body: Body, change: (media: MediaType) => MediaType): Body =>
  body.content === undefined ? body : { ...body, content: mapValues(body.content, change) };

const mapOperations = ({ paths }: Document, change: (operation: Operation) => Operation): Document['paths'] =>
  mapValues(paths, (methods) => mapValues(methods, change));

function mapValues<Value, Result>(
  values: Readonly<Record<string, Value>>,
  change: (value: Value) => Result,
): Record<string, Result> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value)]));
}

const sorted = (values: Readonly<Record<string, Json>>): Record<string, Json> =>
  Object.fromEntries(Object.entries(values).sort(([one], [other]) => (one < other ? -1 : 1)));
