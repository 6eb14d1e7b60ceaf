/**
 * What a request asks for, as one text that is the same for the same request: white space and the order of members do not count,
 * nor does what has no effect on a response. Everything else counts, whether the gateway knows it or not.
 */
import { hasLongNumber, isExactNumber, parseExact } from '../../nouns/json/parse-exact.ts';

/** A hit is streamed if its request is to be streamed. */
const ofDelivery = ['stream', 'stream_options'];
/** Who asks and why. No endpoint but that of responses repeats it in its response. */
const ofClient = ['user', 'safety_identifier', 'metadata', 'prompt_cache_key'];
/** Their order decides in which order a model writes them. */
const orderedMembers = 'properties';
/** JavaScript moves such names to the front, so their order is not known. */
const arrayIndex = /^\d+$/;

export interface RequestParts {
  readonly path: string;
  /** The body, parsed. */
  readonly value: object;
  /** The same, as JSON. */
  readonly text: string;
  /** What else decides who may serve it. */
  readonly demands: unknown;
}

/** Undefined if it cannot be told apart from another one. */
export function canonicalRequest({ path, value, text, demands }: RequestParts): string | undefined {
  const ignored = new Set(repeatsItsRequest(path) ? ofDelivery : [...ofDelivery, ...ofClient]);
  const exact = (hasLongNumber(text) ? parseExact(text) : value) as Readonly<Record<string, unknown>>;
  const counted = Object.entries(exact).filter(([name, member]) => !ignored.has(name) && member !== null);
  try {
    return `${path}\n${JSON.stringify(demands)}\n${canonicalObject(counted.sort(byName))}`;
  } catch (error) {
    if (error instanceof UnknownOrder) return undefined;
    throw error;
  }
}

function repeatsItsRequest(path: string): boolean {
  return path === '/v1/responses';
}

class UnknownOrder extends Error {}

function canonical(value: unknown, keepsOrder = false): string {
  if (typeof value === 'number') return String(value);
  if (typeof value !== 'object' || value === null || isExactNumber(value)) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map((item) => canonical(item)).join(',')}]`;
  const members = Object.entries(value);
  if (!keepsOrder) members.sort(byName);
  else if (members.some(([name]) => arrayIndex.test(name))) throw new UnknownOrder();
  return canonicalObject(members);
}

function canonicalObject(members: readonly [name: string, value: unknown][]): string {
  const written = members.map(
    ([name, value]) => `${JSON.stringify(name)}:${canonical(value, name === orderedMembers)}`,
  );
  return `{${written.join(',')}}`;
}

function byName([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number {
  return one < other ? -1 : 1;
}
