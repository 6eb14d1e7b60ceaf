/** A filter with a typo must not list everything. */
import type { TObject } from '@sinclair/typebox';
import { type FieldProblem, GatewayError } from '../../../shared/errors.ts';

/** Throws GatewayError `invalid_parameter` for a parameter that is unknown or appears twice. */
export function refuseUnknownParameters(url: string, query: TObject | undefined): void {
  const start = url.indexOf('?');
  if (start < 0) return;
  const known = Object.keys(query?.properties ?? {});
  const seen = new Set<string>();
  const problems: FieldProblem[] = [];
  for (const param of new URLSearchParams(url.slice(start)).keys()) {
    if (!known.includes(param)) problems.push(problem(param, `Unknown parameter: '${param}'.`));
    else if (seen.has(param)) problems.push(problem(param, `'${param}' was sent more than once.`));
    seen.add(param);
  }
  const [first] = problems;
  if (first === undefined) return;
  const hint = known.length === 0 ? 'This endpoint has no parameters.' : `Known parameters: ${known.join(', ')}.`;
  const message = `${problems.map(({ message }) => message).join(' ')} ${hint}`;
  throw new GatewayError('invalid_parameter', message, { param: first.param, problems });
}

const problem = (param: string, message: string): FieldProblem => ({ param, code: 'invalid_parameter', message });
