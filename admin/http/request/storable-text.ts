/** Text that Postgres takes: it has no NUL, and JSON in it no surrogate without its other half. */
import { invalidParameter } from '../../../shared/http/parameter-errors.ts';
import { isObject } from '../../../shared/members.ts';

export const storable = 'text without NUL and unpaired surrogates';

export function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}

/** Of a parsed body, whose depth and members are limited. Throws GatewayError `invalid_parameter`. */
export function requireStorable(body: object): void {
  for (const [name, member] of Object.entries(body)) {
    if (!isStorable(name) || !isStorableWithin(member)) throw invalidParameter(name.slice(0, 64), storable);
  }
}

function isStorableWithin(member: unknown): boolean {
  const open: unknown[] = [member];
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (typeof value === 'string') {
      if (!isStorable(value)) return false;
    } else if (Array.isArray(value)) for (const item of value) open.push(item ?? null);
    else if (isObject(value)) for (const [name, nested] of Object.entries(value)) open.push(name, nested ?? null);
  }
  return true;
}
