/** Pages of a list, in OpenAI's form: the client names the last object that it has, and gets those after it. */
import { GatewayError } from '../../shared/errors.ts';
import { invalidParameter } from '../../shared/http/parameter-errors.ts';

export interface PageQuery {
  readonly limit: number;
  readonly after: string | undefined;
  readonly order: 'asc' | 'desc';
}

interface PageLimits {
  readonly fallback: number;
  readonly max: number;
}

/** Throws GatewayError `invalid_parameter`. */
export function readPageQuery({ url }: Request, { fallback, max }: PageLimits): PageQuery {
  const query = new URL(url).searchParams;
  const limit = query.get('limit');
  if (limit !== null && !(/^\d{1,6}$/.test(limit) && Number(limit) >= 1 && Number(limit) <= max)) {
    throw invalidParameter('limit', `an integer from 1 to ${max}`);
  }
  const order = query.get('order') ?? 'desc';
  if (order !== 'asc' && order !== 'desc') throw invalidParameter('order', 'asc or desc');
  return { limit: limit === null ? fallback : Number(limit), after: query.get('after') ?? undefined, order };
}

export interface Page<Item> {
  readonly items: readonly Item[];
  readonly hasMore: boolean;
}

/** `items` are in the order of creation. Throws GatewayError `invalid_parameter` if `after` is not among them. */
export function pageOf<Item extends { readonly id: string }>(
  items: readonly Item[],
  { limit, after, order }: PageQuery,
): Page<Item> {
  const ordered = order === 'asc' ? items : items.toReversed();
  const last = after === undefined ? -1 : ordered.findIndex(({ id }) => id === after);
  if (after !== undefined && last < 0) {
    throw new GatewayError('invalid_parameter', `There is no '${after}' in this list.`, { param: 'after' });
  }
  const shown = ordered.slice(last + 1, last + 1 + limit);
  return { items: shown, hasMore: last + 1 + limit < ordered.length };
}

export function renderPage(data: readonly { readonly id: string }[], hasMore: boolean) {
  return {
    object: 'list',
    data,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
    has_more: hasMore,
  };
}
