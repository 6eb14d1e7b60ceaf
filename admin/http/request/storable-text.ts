/** Text that Postgres takes: it has no NUL, and JSON in it no surrogate without its other half. */
import { GatewayError } from '../../../shared/errors.ts';
import { isObject } from '../../../shared/members.ts';

export function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}

/** Of a parsed body, whose depth and members are limited. Throws GatewayError `invalid_parameter`. */
export function requireStorable(body: object): void {
  const open: unknown[] = [body];
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (typeof value === 'string') {
      if (!isStorable(value)) throw unstorable();
    } else if (Array.isArray(value)) for (const item of value) open.push(item ?? null);
    else if (isObject(value)) for (const [name, member] of Object.entries(value)) open.push(name, member ?? null);
  }
}

const unstorable = () =>
  new GatewayError('invalid_parameter', 'The request body has text with NUL or with unpaired surrogates.');
