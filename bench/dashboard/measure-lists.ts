/** The requests that the dashboard makes for its lists, of a customer with a long history: near and far pages. */
import type { Dashboard } from '../../test/dashboard/harness/dashboard.ts';
import { logIn } from '../../test/harness/account-view.ts';
import type { Customer } from '../../test/harness/customers.ts';
import { Histogram } from '../measure/histogram.ts';
import { significant } from '../report/format.ts';
import type { Section } from '../report/section.ts';

const repetitions = 30;
const pageRequests = 50;

interface Page {
  readonly name: string;
  readonly path: string;
}

export async function measureLists(dashboard: Dashboard, customer: Customer, requests: number): Promise<Section> {
  const { get } = await logIn(dashboard.admin, customer);
  const rows: string[][] = [];
  for (const { name, path } of await pagesOf(customer, get)) {
    const times = new Histogram();
    for (let repetition = 0; repetition <= repetitions; repetition += 1) {
      const startedAtMs = performance.now();
      await get(path);
      // The first one warms up.
      if (repetition > 0) times.record((performance.now() - startedAtMs) * 1_000);
    }
    const { p50, p99 } = times.summary();
    rows.push([name, significant(p50 / 1_000), significant(p99 / 1_000)]);
    console.log(rows.at(-1)?.join('  '));
  }
  return {
    id: 'lists',
    title: 'Lists of a million requests',
    method:
      `A customer with ${requests.toLocaleString('en')} requests in 30 days; what the pages ask of the API, one request ` +
      'at a time. Milliseconds.',
    tables: [{ columns: ['', 'p50', 'p99'], rows }],
    notices: [],
    figures: rows,
  };
}

type Get = <Body>(path: string) => Promise<Body>;

async function pagesOf({ proxyKeyId }: Customer, get: Get): Promise<Page[]> {
  const ago = (days: number) => encodeURIComponent(new Date(Date.now() - days * 86_400_000).toISOString());
  const list = `/api/requests?limit=${pageRequests}&replaced=true`;
  const dayAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);
  const usage = (days: number, group: string) =>
    `/api/usage?from=${dayAgo(days)}&to=${dayAgo(-1)}&groupBy=${group}&timeZone=Europe%2FMoscow`;
  const { requests, nextCursor } = await get<{ requests: { requestId: string; model: string }[]; nextCursor: string }>(
    `${list}&to=${ago(15)}`,
  );
  const [{ requestId, model } = { requestId: '', model: '' }] = requests;
  return [
    { name: 'activity: the first page', path: list },
    { name: 'activity: a page in the middle', path: `${list}&to=${ago(15)}&cursor=${encodeURIComponent(nextCursor)}` },
    { name: 'activity: of one model', path: `${list}&model=${encodeURIComponent(model)}` },
    { name: 'activity: of one key', path: `${list}&keyId=${proxyKeyId}` },
    { name: 'activity: a receipt', path: `/api/requests/${requestId}` },
    { name: 'transactions: the first page', path: `/api/transactions?limit=${pageRequests}&offset=0` },
    { name: 'transactions: offset 500,000', path: `/api/transactions?limit=${pageRequests}&offset=500000` },
    { name: 'transactions: only payments', path: `/api/transactions?limit=${pageRequests}&offset=0&type=payment` },
    { name: 'usage: 30 days by day and model', path: usage(30, 'day,model') },
    { name: 'usage: 30 days by day and key', path: usage(30, 'day,key') },
    { name: 'usage: a day by hour and model', path: usage(1, 'hour,model') },
    { name: 'overview: balance', path: '/api/balance' },
    { name: 'keys', path: '/api/proxy-keys' },
  ];
}
