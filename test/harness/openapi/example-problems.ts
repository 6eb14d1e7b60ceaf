/** Checks the examples of an OpenAPI document against the schemas beside them. */
import { closedValidator } from './closed-validator.ts';
import { type MediaType, type OpenApiDocument, operationsOf, withoutReferences } from './operations-of.ts';
import { nullableAsType } from './response-checker.ts';

interface DocumentedExample {
  /** `POST /api/keys 201: default`. */
  readonly of: string;
  /** Where the schema is in the document. */
  readonly reference: string;
  readonly value: unknown;
}

/** One sentence for each example that its schema refuses, or that has a member which the schema does not name. */
export function exampleProblems(document: OpenApiDocument): string[] {
  const { problems } = closedValidator(Object(nullableAsType(withoutReferences(document, ['responses', 'examples']))));
  return examplesOf(document).flatMap(({ of, reference, value }) =>
    problems(reference, value).map((problem) => `${of}${problem}`),
  );
}

export function examplesOf(document: OpenApiDocument): DocumentedExample[] {
  return operationsOf(document).flatMap(({ route, requestBody, responses }) => {
    const [method = '', path = ''] = route.split(' ');
    const operation = ['paths', path, method.toLowerCase()];
    const bodies = [
      { name: 'request', steps: [...operation, 'requestBody', 'content'], content: requestBody?.content },
      ...Object.entries(responses).map(([status, { content }]) => ({
        name: status,
        steps: [...operation, 'responses', status, 'content'],
        content,
      })),
    ];
    return bodies.flatMap(({ name, steps, content = {} }) =>
      Object.entries(content).flatMap(([type, media]) =>
        valuesOf(media).map(([title, value]) => ({
          of: `${route} ${name} as ${type}, ${title}: `,
          reference: pointer([
            ...steps,
            type,
            'schema',
            ...('contentSchema' in (media.schema ?? {}) ? ['contentSchema'] : []),
          ]),
          value,
        })),
      ),
    );
  });
}

/** Each event of a stream is an example of its own. */
function valuesOf({ schema, example, examples = {} }: MediaType): [title: string, value: unknown][] {
  if (schema?.contentSchema !== undefined) return eventsOf(String(example)).map((event, index) => [`${index}`, event]);
  const named = Object.entries(examples).map(([title, { value }]) => [title, value] as [string, unknown]);
  return example === undefined ? named : [['example', example], ...named];
}

function eventsOf(stream: string): unknown[] {
  const data = [...stream.matchAll(/^data: (.+)$/gm)].map(([, text = '']) => text);
  return data.filter((text) => text !== '[DONE]').map((text) => JSON.parse(text));
}

function pointer(steps: readonly string[]): string {
  return `#/${steps.map((step) => encodeURIComponent(step.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/')}`;
}
