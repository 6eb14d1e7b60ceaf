/** What GET gives, PUT takes: a client may change one field of what it was shown and send all of it back. */
import { type FieldProblem, GatewayError } from '../../shared/errors.ts';

interface Shown {
  /** What GET answers now. */
  readonly shown: Readonly<Record<string, unknown>>;
  /** Fields that a caller may set. */
  readonly settable: readonly string[];
  /** Fields that change by themselves, so that an old value of them is no attempt to change them. */
  readonly live?: readonly string[];
}

/**
 * The body without the fields that only we set. Throws GatewayError `invalid_parameter` that names those of them which the
 * caller wants to change. A body that is no object, and fields that are unknown, are left for the check that follows.
 */
export function settablePart(body: unknown, { shown, settable, live = [] }: Shown): unknown {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body;
  const problems: FieldProblem[] = [];
  const part: Record<string, unknown> = {};
  for (const [param, value] of Object.entries(body)) {
    if (settable.includes(param) || !Object.hasOwn(shown, param)) part[param] = value;
    else if (!live.includes(param) && !Bun.deepEquals(value, shown[param])) {
      problems.push({ param, code: 'invalid_parameter', message: `'${param}' cannot be changed here.` });
    }
  }
  const [first] = problems;
  if (first === undefined) return part;
  const message = problems.map((problem) => problem.message).join(' ');
  throw new GatewayError('invalid_parameter', message, { param: first.param, problems });
}
