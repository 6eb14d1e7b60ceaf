/**
 * Notices that requests come through a load balancer while TRUSTED_PROXY_HOPS is 0: then all people have one address, and
 * share the limits that hold for an address. Where the gateway is reached directly, the header is the caller's own
 * invention, and nothing is wrong.
 */
import { Elysia } from 'elysia';
import type { RedisClient } from '../../../shared/redis/connect.ts';
import type { AdminServices } from '../../services.ts';

const key = 'admin:forwarded';
const rememberedSeconds = 86_400;

export const forwardedAdvice =
  'If a load balancer stands in front, set TRUSTED_PROXY_HOPS to the number of them; else let it be.';

export const noticeForwarded = ({ config, redis, log }: AdminServices) => {
  let isNoticed = config.trustedProxyHops > 0;
  return new Elysia({ name: 'forwarded-requests' }).onRequest(({ request }) => {
    if (isNoticed || !request.headers.has('x-forwarded-for')) return;
    isNoticed = true;
    log.warn(`a request has X-Forwarded-For, and TRUSTED_PROXY_HOPS is 0. ${forwardedAdvice}`);
    // For the doctor, who has no requests to look at.
    redis.set(key, '1', 'EX', rememberedSeconds).catch(() => {});
  });
};

/** Whether such requests have come to any replica within a day. */
export async function wereRequestsForwarded(redis: RedisClient): Promise<boolean> {
  return (await redis.exists(key)) === 1;
}
