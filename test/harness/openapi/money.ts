/**
 * Money in admin's responses: a numeric amount is accompanied by its exact value as a decimal string, in schemas, in
 * examples and in real responses. In a response a number is money, unless its name ends in another unit.
 */
import { type OpenApiDocument, operationsOf } from './operations-of.ts';

export interface JsonSchema {
  readonly type?: string;
  readonly nullable?: boolean;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
}

interface DocumentedMoney {
  /** `POST /api/keys 201: keys[].spend30d`. */
  readonly at: string;
  readonly amount: JsonSchema;
  /** Undefined if there is no string with the right name. */
  readonly decimal: JsonSchema | undefined;
  readonly alwaysTogether: boolean;
}

interface MoneyInResponse {
  readonly at: string;
  readonly amount: unknown;
  readonly decimal: unknown;
}

const otherUnits = /(?:Days|Hours|Minutes|Seconds|Ms|Percent)$/;
const plainDecimal = /^(?:0|-?(?:0|[1-9]\d*)\.\d{0,8}[1-9]|-?[1-9]\d*)$/;

/** One sentence for each amount of the document that breaks the rule. */
export function findMoneyGaps(document: OpenApiDocument): string[] {
  return successesOf(document).flatMap(({ at, schema, example }) => [
    ...documentedMoney(schema, `${at}: `).flatMap(gapsOf),
    ...disagreements(schema, example).map((gap) => `${at}: the example's ${gap}`),
  ]);
}

/** The routes whose responses have numeric amounts. */
export function routesWithMoney(document: OpenApiDocument): string[] {
  const found = successesOf(document).filter(({ schema }) => documentedMoney(schema).length > 0);
  return found.map(({ route }) => route);
}

/** One sentence for each amount of a response whose decimal string is missing, malformed or different. */
export function disagreements(schema: JsonSchema | undefined, response: unknown): string[] {
  return moneyInResponse(schema, response)
    .filter(({ amount, decimal }) => !agree(amount, decimal))
    .map(({ at, amount, decimal }) => `${at} is ${amount}, and its decimal string ${JSON.stringify(decimal)}`);
}

function moneyInResponse(schema: JsonSchema | undefined, value: unknown, at = ''): MoneyInResponse[] {
  if (Array.isArray(value)) return value.flatMap((item) => moneyInResponse(schema?.items, item, `${at}[]`));
  if (typeof value !== 'object' || value === null) return [];
  const members: Readonly<Record<string, unknown>> = { ...value };
  const properties = schema?.properties ?? {};
  return Object.entries(members).flatMap(([name, amount]) => {
    const path = at === '' ? name : `${at}.${name}`;
    if (!isMoney(name, properties)) return moneyInResponse(properties[name], amount, path);
    return [{ at: path, amount, decimal: members[decimalOf(name, properties) ?? ''] }];
  });
}

function agree(amount: unknown, decimal: unknown): boolean {
  if (amount === null) return decimal === null;
  return typeof decimal === 'string' && plainDecimal.test(decimal) && Number(decimal) === amount;
}

function documentedMoney(schema: JsonSchema | undefined, at = ''): DocumentedMoney[] {
  if (schema?.items !== undefined) return documentedMoney(schema.items, `${at}[]`);
  const { properties = {}, required = [] } = schema ?? {};
  return Object.entries(properties).flatMap(([name, property]) => {
    const path = `${at}.${name}`;
    if (!isMoney(name, properties)) return documentedMoney(property, path);
    const decimalName = decimalOf(name, properties);
    const decimal = decimalName === undefined ? undefined : properties[decimalName];
    const alwaysTogether = required.includes(name) === required.includes(decimalName ?? '');
    return [{ at: path, amount: property, decimal, alwaysTogether }];
  });
}

function gapsOf({ at, amount, decimal, alwaysTogether }: DocumentedMoney): string[] {
  if (decimal === undefined) return [`${at} has no decimal string beside it`];
  return [
    ...(decimal.type === 'string' ? [] : [`${at} has a ${decimal.type} beside it`]),
    ...(decimal.nullable === amount.nullable ? [] : [`${at} and its decimal string are not null together`]),
    ...(alwaysTogether ? [] : [`${at} and its decimal string are not required together`]),
    ...(amount.description && decimal.description ? [] : [`${at} or its decimal string is not described`]),
  ];
}

function isMoney(name: string, properties: Readonly<Record<string, JsonSchema>>): boolean {
  return properties[name]?.type === 'number' && !otherUnits.test(name);
}

/** The name of an amount's decimal string, if there is one. */
function decimalOf(name: string, properties: Readonly<Record<string, JsonSchema>>): string | undefined {
  const names = /(?:Usd|Rub)$/.test(name) ? [`${name}Decimal`] : [`${name}Usd`, `${name}Rub`];
  return names.find((candidate) => candidate in properties);
}

function successesOf(document: OpenApiDocument) {
  return operationsOf(document).flatMap(({ route, responses }) =>
    Object.entries(responses)
      .filter(([status]) => Number(status) < 300)
      .map(([status, { content = {} }]) => {
        const { schema, example } = content['application/json'] ?? {};
        return { route, at: `${route} ${status}`, schema: schema as JsonSchema | undefined, example };
      }),
  );
}
