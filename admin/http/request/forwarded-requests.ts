/**
 * Detects that requests come through a load balancer while TRUSTED_PROXY_HOPS is 0: then all clients have one address,
 * and share its limits. If the gateway is reached directly, the client may have forged the header, and nothing is
 * wrong.
 */
import { Elysia } from 'elysia';
import type { RedisClient } from '../../../shared/redis/connect.ts';
import type { AdminServices } from '../../services.ts';

const key = 'admin:forwarded';
const rememberedSeconds = 86_400;

export const forwardedAdvice =
  'If there are load balancers in front, set TRUSTED_PROXY_HOPS to their number; otherwise ignore this.';

export const noticeForwarded = ({ config, redis, log }: AdminServices) => {
  let isNoticed = config.trustedProxyHops > 0;
  return new Elysia({ name: 'forwarded-requests' }).onRequest(({ request }) => {
    if (isNoticed || !request.headers.has('x-forwarded-for')) return;
    isNoticed = true;
    log.warn(`a request has X-Forwarded-For, and TRUSTED_PROXY_HOPS is 0. ${forwardedAdvice}`);
    // For `gateway doctor`, which sees no requests.
    redis.set(key, '1', 'EX', rememberedSeconds).catch(() => {});
  });
};

/** Whether any replica got such requests within the last day. */
export async function wereRequestsForwarded(redis: RedisClient): Promise<boolean> {
  return (await redis.exists(key)) === 1;
}
