/** Wallet scripts under a clock that a test sets: they read it from a key instead of asking Redis for its own. */
import type { ScriptTransform } from '../../shared/wallet/script.ts';

const redisClock = "    local time = redis.call('TIME')\n    now = time[1] * 1000 + math.floor(time[2] / 1000)\n";

/** The key holds milliseconds of the epoch. Throws if a script that asks for the time does not do it as expected. */
export function underClock(clockKey: string): ScriptTransform {
  return (source) => {
    if (!source.includes("redis.call('TIME')")) return source;
    if (!source.includes(redisClock)) throw new Error('the scripts read the time in another way than expected');
    return source.replace(redisClock, `    now = tonumber(redis.call('GET', '${clockKey}'))\n`);
  };
}
