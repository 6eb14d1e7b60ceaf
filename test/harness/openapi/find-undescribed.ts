/**
 * What an OpenAPI document leaves undescribed: every operation, parameter, header, named schema and property needs a
 * description that says what it means. One sentence per gap. A `$ref` needs none: the named schema has its own, or the
 * descriptions of its properties.
 */
import { asRecord, type JsonRecord } from '../../../proxy/nouns/json/record.ts';
import { errorRegistry } from '../../../shared/errors.ts';
import { isObject } from '../../../shared/members.ts';
import { type OpenApiDocument, operationsOf } from './operations-of.ts';

const wordsMin = 3;
/** The type or the range of a value is visible next to its description. */
const repeatsTheValidator = /^(?:an? (?:string|boolean|integer|number|array|object)\b|one of )/i;
const beginsLikeASentence = /^[A-Z`]/;

export function findUndescribed(document: OpenApiDocument): string[] {
  const { schemas, parameters, headers, securitySchemes } = asRecord(document.components);
  const values = Object.fromEntries(membersOf(schemas).filter(([, { properties }]) => properties === undefined));
  const named = { parameter: parameters, header: headers, schema: values, 'security scheme': securitySchemes };
  return [
    ...operationsOf(document).flatMap((operation) => [
      ...gap(operation.route, operation),
      ...membersOf(operation.parameters).flatMap(([, parameter]) =>
        gap(`${operation.route}: parameter ${parameter.name}`, parameter),
      ),
      ...membersOf(operation.requestBody?.content).flatMap(([, { schema }]) =>
        inside(`${operation.route}: body`, schema),
      ),
      ...membersOf(operation.responses).flatMap(([status, { content }]) =>
        membersOf(content).flatMap(([, { schema }]) => inside(`${operation.route}: ${status}`, schema)),
      ),
    ]),
    ...Object.entries(named).flatMap(([kind, members]) =>
      membersOf(members).flatMap(([name, member]) => gap(`${kind} ${name}`, member)),
    ),
    ...membersOf(schemas).flatMap(([name, schema]) => inside(name, schema)),
  ];
}

/** Examples of errors that show the registry's description of the code instead of the program's message. */
export function findGenericErrors(document: OpenApiDocument): string[] {
  return operationsOf(document).flatMap(({ route, responses }) =>
    Object.values(responses).flatMap(({ content }) =>
      Object.entries(content?.['application/json']?.examples ?? {}).flatMap(([code, { value }]) => {
        const meaning = membersOf(errorRegistry).find(([name]) => name === code)?.[1].meaning;
        return meaning !== undefined && asRecord(asRecord(value).error).message === meaning
          ? [`${route}: ${code}`]
          : [];
      }),
    ),
  );
}

/** The properties of a schema, at any depth. */
function inside(place: string, schema: unknown): string[] {
  if (!isObject(schema)) return [];
  const { properties, items, additionalProperties, contentSchema, anyOf, oneOf, allOf } = schema;
  return [
    ...membersOf(properties).flatMap(([name, property]) => [
      ...gap(`${place}.${name}`, property),
      ...inside(`${place}.${name}`, property),
    ]),
    ...inside(`${place}[]`, items),
    ...[additionalProperties, contentSchema].flatMap((member) => inside(place, member)),
    ...[anyOf, oneOf, allOf].flatMap((kinds) => membersOf(kinds).flatMap(([, kind]) => inside(place, kind))),
  ];
}

function gap(place: string, described: { readonly $ref?: unknown; readonly description?: unknown }): string[] {
  const { $ref, description } = described;
  if ($ref !== undefined) return [];
  if (typeof description !== 'string') return [`${place} has no description`];
  const text = description.trim();
  const isEnough =
    text.split(/\s+/).length >= wordsMin && beginsLikeASentence.test(text) && !repeatsTheValidator.test(text);
  return isEnough ? [] : [`${place} says only: ${text}`];
}

function membersOf(value: unknown): [string, JsonRecord][] {
  return Object.entries(value ?? {}).filter((entry): entry is [string, JsonRecord] => isObject(entry[1]));
}
