/** What budgets cost a request: of every level at once, beside the limit of a key alone. */
import type { BudgetLevelName } from '../../shared/limits/budget-levels.ts';
import { testPassword } from '../../test/harness/customers.ts';
import { type Create, giveBudgets } from '../../test/harness/give-budgets.ts';
import type { Contender } from '../contenders/contender.ts';
import { gatewayOn } from '../contenders/gateway.ts';
import type { GatewayStores } from '../contenders/gateway-stores.ts';
import { chatBody } from '../load/bodies.ts';
import type { LoadResult } from '../load/job.ts';
import { alternate } from '../measure/alternate.ts';
import { withSpread } from '../report/format.ts';
import type { Section } from '../report/section.ts';
import type { Stage } from '../stage/stage.ts';
import { wideLimits } from './customers.ts';
import { failureNotices } from './failures.ts';
import { microsecondsPer, microsecondsPerRequest, ratios, requestsPerSecond } from './figures.ts';
import { atMost, limits } from './targets.ts';
import { connections } from './whole-responses.ts';

const customers = 32;
/** More than anyone spends, so that none refuses. */
const amount = '90000';
const variants: Readonly<Record<string, Partial<Record<BudgetLevelName, string>>>> = {
  'a limit of the key': { key: amount },
  'four budgets': { key: amount, member: amount, project: amount, organization: amount },
};

/** How a request is paid for: with so few at once, a part of the limit is none, so there are no leases. */
const ways: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'from a lease': wideLimits,
  'one by one': { ...wideLimits, RATE_LIMIT_CONCURRENT_STREAMS: '63' },
};

export async function budgets(stage: Stage): Promise<Section> {
  const contenders: Contender[] = [];
  for (const [name, amounts] of Object.entries(variants)) {
    const keys: string[] = [];
    for (let made = 0; made < customers; made += 1) keys.push(await makeKey(stage.stores, amounts));
    for (const [way, environment] of Object.entries(ways)) {
      const gateway = gatewayOn(stage.stores, environment);
      const start: Contender['start'] = async (port) => ({ ...(await gateway.start(port)), keys });
      contenders.push({ ...gateway, name: `${name}, ${way}`, start });
    }
  }
  const series = await alternate(stage, contenders, { body: chatBody('whole'), mode: { kind: 'closed', connections } });
  return {
    id: 'budgets',
    title: 'Budgets',
    method:
      `Whole answers as above, from ${customers} customers with a limit of the key, and from as many whose key, member, project and ` +
      'organization have a budget each, in turn: paid from leases, as ordinary requests are, and reserved and settled one by one.',
    tables: [
      {
        columns: ['customers with, paid', 'requests/s', 'CPU µs per request: proxy', 'redis'],
        rows: series.map(({ contender, results }) => [
          contender.name,
          withSpread(results.map(requestsPerSecond)),
          withSpread(results.map(microsecondsPerRequest)),
          withSpread(results.map(redisMicroseconds)),
        ]),
      },
    ],
    notices: failureNotices(series),
    targets: Object.keys(ways).flatMap((way, place) => {
      const [limited, budgeted] = [series[place], series[place + Object.keys(ways).length]];
      return atMost({
        figure: `CPU of proxy and Redis per request, four budgets in relation to a limit of the key, ${way}`,
        values: budgeted && ratios(budgeted, limited, inBoth),
        limit: limits.cpuWithBudgets,
      });
    }),
    figures: series,
  };
}

const inBoth = (result: LoadResult) => microsecondsPerRequest(result) + redisMicroseconds(result);
const redisMicroseconds = (result: LoadResult) => microsecondsPer(result, 'redis', result.requests);

async function makeKey(stores: GatewayStores, amounts: Partial<Record<BudgetLevelName, string>>): Promise<string> {
  const customer = await stores.createCustomer();
  const post = async (path: string, body: object, token?: string) => {
    const headers = token === undefined ? undefined : { authorization: `Bearer ${token}` };
    const response = await fetch(`${stores.adminUrl}${path}`, { method: 'POST', body: JSON.stringify(body), headers });
    if (!response.ok) throw new Error(`POST ${path}: ${response.status} ${await response.text()}`);
    return Object(await response.json());
  };
  const { accessToken } = await post('/api/auth/login', { email: customer.email, password: testPassword });
  const create: Create = (path, body) => post(path, body, accessToken);
  return (await giveBudgets(create, customer, amounts)).customer.proxyKey;
}
