/** What a request costs when few or many customers send the same number of requests: the charges of a lease are settled together. */
import type { Contender } from '../contenders/contender.ts';
import { gatewayOn } from '../contenders/gateway.ts';
import { chatBody } from '../load/bodies.ts';
import { alternate, type Series } from '../measure/alternate.ts';
import { withSpread } from '../report/format.ts';
import type { Section } from '../report/section.ts';
import type { Stage } from '../stage/stage.ts';
import { failureNotices } from './failures.ts';
import { microsecondsPer, microsecondsPerRequest, requestsPerSecond } from './figures.ts';
import { atMost, limits } from './targets.ts';
import { connections } from './whole-responses.ts';

const few = 8;
/** Of eight customers, each sends more than the default limits allow. */
export const wideLimits = { RATE_LIMIT_REQUESTS_PER_MINUTE: '6000000', RATE_LIMIT_TOKENS_PER_MINUTE: '6000000000' };
const stores = ['redis', 'admin', 'postgres'] as const;

export async function customers(stage: Stage): Promise<Section> {
  const many = stage.stores.keys.length;
  const [ofFew, ofMany] = await alternate(stage, [few, many].map(gatewayFor(stage)), {
    body: chatBody('whole'),
    mode: { kind: 'closed', connections },
  });
  if (ofFew === undefined || ofMany === undefined) throw new Error('nothing was measured');
  const series = [ofFew, ofMany];
  return {
    id: 'customers',
    title: 'Few and many customers',
    method:
      `Whole answers as above, from ${few} or ${many} customers in turn. An ordinary request is paid from a lease that its ` +
      'proxy holds for the customer, and asks no server. What Redis does for it are the lease’s draws and settlements, which ' +
      'have the charges of many requests: the more requests a customer sends in a second, the less each costs.',
    tables: [
      {
        columns: ['customers', 'requests/s', 'CPU µs per request: proxy', ...stores],
        rows: series.map((each) => [
          each.contender.name,
          withSpread(each.results.map(requestsPerSecond)),
          withSpread(each.results.map(microsecondsPerRequest)),
          ...stores.map((group) => withSpread(microsecondsOf(each, group))),
        ]),
      },
    ],
    notices: failureNotices(series),
    targets: series.flatMap((each, index) =>
      atMost({
        figure: `Redis CPU of a whole answer, ${each.contender.name} customers, closed loop, µs`,
        values: microsecondsOf(each, 'redis'),
        limit: limits.redisMicrosecondsPerRequest[index === 0 ? 'few' : 'many'],
      }),
    ),
    figures: series,
  };
}

function gatewayFor({ stores: gatewayStores }: Stage): (count: number) => Contender {
  const keys = gatewayStores.keys;
  return (count) => {
    const gateway = gatewayOn(gatewayStores, wideLimits);
    const start: Contender['start'] = async (port) => ({ ...(await gateway.start(port)), keys: keys.slice(0, count) });
    return { ...gateway, name: String(count), start };
  };
}

function microsecondsOf({ results }: Series, group: string): number[] {
  return results.map((result) => microsecondsPer(result, group, result.requests));
}
