/**
 * GET /v1/key and /v1/credits: what the holder of a proxy key can learn about the key and its account. Field names
 * follow OpenRouter's endpoints of the same purpose where they fit. Each is one Redis call for a known key, and counts
 * as a request.
 */
import { displayedPrefix } from '../../../shared/keys/api-key.ts';
import { rateLimits } from '../../../shared/limits/rate-limits.ts';
import { type SpendLimit, spendLimitsByLength } from '../../../shared/limits/spend-limits.ts';
import { recordOf } from '../../../shared/members.ts';
import { formatUsd, type NanoUsd, nanoUsd } from '../../../shared/money.ts';
import type { KeyStatus } from '../../../shared/wallet/key-status.ts';
import { renderObject } from '../../nouns/json/patch-object.ts';
import { readKey } from '../../request/admission/authenticate.ts';
import { readStatus } from '../../request/admission/read-status.ts';
import type { Incoming } from '../../request/relay.ts';
import type { ProxyServices } from '../../request/services.ts';

export const keyPath = '/v1/key';
export const creditsPath = '/v1/credits';

/** Throws GatewayError: 401 or 403 for the key, 429 for its limit of requests, 503 if the wallet is unreachable. */
export async function handleKey(services: ProxyServices, incoming: Incoming): Promise<Response> {
  const status = await readStatus(services, incoming, { spending: true });
  const label = displayedPrefix(readKey(incoming.request.headers) ?? '');
  return jsonResponse(renderKey(status, { label, cacheSeconds: incoming.caller?.rules?.cacheSeconds }));
}

/** Throws GatewayError as `handleKey` does. */
export async function handleCredits(services: ProxyServices, incoming: Incoming): Promise<Response> {
  const { account } = await readStatus(services, incoming, { spending: false });
  return jsonResponse(
    renderObject({
      available: formatUsd(account.availableNano),
      reserved: formatUsd(account.heldNano),
      total_credits: formatUsd(account.creditedNano),
      total_usage: formatUsd(account.spentNano),
    }),
  );
}

function jsonResponse(data: string): Response {
  return new Response(renderObject({ data }), { headers: { 'content-type': 'application/json' } });
}

/** JSON text. Amounts are numbers spelled out digit by digit. */
function renderKey(
  status: KeyStatus,
  { label, cacheSeconds }: { readonly label: string; readonly cacheSeconds: number | undefined },
): string {
  const { allowedModels, expiresAtMs } = status;
  return renderObject({
    label: JSON.stringify(label),
    ...renderSpending(status),
    rate_limit: renderObject({
      ...recordOf(rateLimits, ({ name, statusName }) => [statusName, numberOrNull(status.rateLimits[name])]),
      interval: '"1m"',
    }),
    cache_seconds: String(cacheSeconds ?? null),
    allowed_models: JSON.stringify(allowedModels),
    expires_at: JSON.stringify(expiresAtMs === null ? null : new Date(expiresAtMs).toISOString()),
  });
}

function renderSpending({ spent, spendLimitsNano }: KeyStatus): Record<string, string> {
  if (spent === undefined) throw new Error("the key's spending was not requested");
  const limits = spendLimitsByLength.flatMap((row) => {
    const limitNano = spendLimitsNano[row.name];
    const leftNano = limitNano === null ? null : atLeastZero(limitNano - spent.spentNano[row.name] - spent.heldNano);
    const { limit, remaining } = statusNames(row);
    return [[limit, amountOrNull(limitNano)] as const, [remaining, amountOrNull(leftNano)] as const];
  });
  const usage = spendLimitsByLength.map(
    (row) => [statusNames(row).usage, formatUsd(spent.spentNano[row.name])] as const,
  );
  return Object.fromEntries([...limits, ...usage]);
}

/** `limit_daily`, `limit_daily_remaining` and `usage_daily`; without a window `limit`, `limit_remaining` and `usage`. */
export function statusNames({ adjective, window }: SpendLimit) {
  const suffix = window === undefined ? '' : `_${adjective}`;
  return { limit: `limit${suffix}`, remaining: `limit${suffix}_remaining`, usage: `usage${suffix}` };
}

function amountOrNull(amount: bigint | NanoUsd | null): string {
  return amount === null ? 'null' : formatUsd(nanoUsd(amount));
}

/** 0 means no limit. */
function numberOrNull(limit: number): string {
  return limit === 0 ? 'null' : String(limit);
}

function atLeastZero(amount: bigint): bigint {
  return amount < 0n ? 0n : amount;
}
