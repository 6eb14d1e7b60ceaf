/** PUT accepts what GET returns: a client may change one field of a response and send all of it back. */
import { KindGuard, type TObject } from '@sinclair/typebox';
import { type FieldProblem, GatewayError } from '../../../shared/errors.ts';
import { isObject } from '../../../shared/members.ts';

interface Shown {
  /** The current response of GET. */
  readonly shown: object;
  /** The fields that a client may set, including nested ones. */
  readonly schema: TObject;
  /** Fields that change without the client, so that an old value is not an attempt to change them. */
  readonly live?: readonly string[];
  /** Fields that a client may set, omitted if unchanged: the current value need not be valid. */
  readonly dropUnchanged?: readonly string[];
}

/**
 * The body without the fields that only the gateway sets. Throws GatewayError `invalid_parameter` that names those
 * which the client tries to change. A body that is not an object, and unknown fields, are left for the check that
 * follows.
 */
export function settablePart(body: unknown, options: Shown): unknown {
  const { part, problems } = splitBody(body, options);
  const [first] = problems;
  if (first === undefined) return part;
  const message = problems.map((problem) => problem.message).join(' ');
  throw new GatewayError('invalid_parameter', message, { param: first.param, problems });
}

/** `at` is where the value was found in the body. */
function splitBody(body: unknown, options: Shown, at = ''): { part: unknown; problems: FieldProblem[] } {
  if (!isObject(body)) return { part: body, problems: [] };
  const { schema, live = [], dropUnchanged = [] } = options;
  const shown = new Map<string, unknown>(Object.entries(options.shown));
  const problems: FieldProblem[] = [];
  const part: [string, unknown][] = [];
  for (const [name, value] of Object.entries(body)) {
    const param = `${at}${name}`;
    const property = Object.hasOwn(schema.properties, name) ? schema.properties[name] : undefined;
    const current = shown.get(name);
    const unchanged = shown.has(name) && Bun.deepEquals(value, current);
    if (property === undefined && shown.has(name)) {
      if (unchanged || live.includes(param)) continue;
      problems.push({ param, code: 'invalid_parameter', message: `'${param}' cannot be changed here.` });
    } else if (isObject(current) && KindGuard.IsObject(property)) {
      const inner = splitBody(value, { ...options, schema: property, shown: current }, `${param}.`);
      part.push([name, inner.part]);
      problems.push(...inner.problems);
    } else if (!unchanged || !dropUnchanged.includes(param)) {
      part.push([name, value]);
    }
  }
  return { part: Object.fromEntries(part), problems };
}
