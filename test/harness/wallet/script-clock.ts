/** Wallet scripts with a clock that the test sets: they read it from a key instead of Redis' own. */
import type { ScriptTransform } from '../../../shared/wallet/script.ts';

const redisClock = "    local time = redis.call('TIME')\n    now = time[1] * 1000 + math.floor(time[2] / 1000)\n";

/** The key holds Unix milliseconds. Throws if a script reads the time in another way than expected. */
export function underClock(clockKey: string): ScriptTransform {
  return (source) => {
    if (!source.includes("redis.call('TIME')")) return source;
    if (!source.includes(redisClock)) throw new Error('the scripts read the time in an unexpected way');
    return source.replace(redisClock, `    now = tonumber(redis.call('GET', '${clockKey}'))\n`);
  };
}
