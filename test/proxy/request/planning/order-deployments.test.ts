/** In which order deployments are tried: by the client's preferences, by priority, by weight, and by the conversation. */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import type { Preferences } from '../../../../proxy/nouns/requests/routing.ts';
import type { Deployment } from '../../../../proxy/pricing/catalogue.ts';
import {
  type Measurements,
  type Ordering,
  orderDeployments,
} from '../../../../proxy/request/planning/order-deployments.ts';

interface Sketch {
  readonly model: string;
  readonly publicName?: string;
  readonly priority?: number;
  readonly weight?: number;
}

function deployment({ model, publicName, priority = 1, weight = 1 }: Sketch): Deployment {
  const provider = { id: 'p', protocol: 'openai', baseUrl: 'http://127.0.0.1', apiKeyEnv: '', quirks: {} } as const;
  const named = publicName === undefined ? {} : { publicName };
  return { ...named, name: `p/${model}`, provider, model, priority, weight, onDisconnect: 'abort' };
}

const unmeasured: Measurements = {
  latencies: { firstTokenMsOf: () => undefined },
  speeds: { measuredSpeedOf: () => undefined },
};
const anyhow: Ordering = { accountId: 1, conversation: undefined, preferences: undefined, ...unmeasured };
const preferring = (preferences: Partial<Preferences>): Ordering => ({
  ...anyhow,
  preferences: { order: [], sort: undefined, allowsFallbacks: true, ...preferences },
});
const modelsOf = (deployments: readonly Deployment[]) => deployments.map(({ model }) => model);

describe('by what the client prefers', () => {
  const one = deployment({ model: 'one', publicName: 'azure', priority: 1 });
  const two = deployment({ model: 'two', publicName: 'openai', priority: 2 });
  const three = deployment({ model: 'three', priority: 3 });
  const all = [one, two, three];

  test('an order comes before priorities, and what it does not name keeps them', () => {
    expect(modelsOf(orderDeployments(all, preferring({ order: ['openai', 'azure'] })))).toEqual([
      'two',
      'one',
      'three',
    ]);
    expect(modelsOf(orderDeployments(all, preferring({ order: ['openai'] })))).toEqual(['two', 'one', 'three']);
    expect(modelsOf(orderDeployments(all, preferring({})))).toEqual(['one', 'two', 'three']);
  });

  test('without fallbacks and without an order only the first is tried', () => {
    expect(modelsOf(orderDeployments(all, preferring({ allowsFallbacks: false })))).toEqual(['one']);
    expect(modelsOf(orderDeployments([two, three], preferring({ order: ['openai'], allowsFallbacks: false })))).toEqual(
      ['two', 'three'],
    );
  });

  test('the fastest comes first, and one that was never measured before it', () => {
    const latencies: Record<string, number> = { 'p/one': 300, 'p/two': 90 };
    const speeds: Record<string, number> = { 'p/one': 80, 'p/two': 20, 'p/three': 50 };
    const measured: Measurements = {
      latencies: { firstTokenMsOf: (name) => latencies[name] },
      speeds: { measuredSpeedOf: (name) => speeds[name] },
    };
    const sorted = (sort: 'latency' | 'throughput') =>
      modelsOf(orderDeployments(all, { ...preferring({ sort }), ...measured }));
    expect(sorted('latency')).toEqual(['three', 'two', 'one']);
    expect(sorted('throughput')).toEqual(['one', 'three', 'two']);
  });
});

describe('within one priority', () => {
  const weighted = [
    deployment({ model: 'light', weight: 1 }),
    deployment({ model: 'heavy', weight: 3 }),
    deployment({ model: 'backup', priority: 2, weight: 100 }),
  ];

  /** How often each comes first. */
  function shares(orderings: readonly Ordering[]): Record<string, number> {
    const first: Record<string, number> = {};
    for (const ordering of orderings) {
      const [model = ''] = modelsOf(orderDeployments(weighted, ordering));
      first[model] = (first[model] ?? 0) + 1 / orderings.length;
    }
    return first;
  }

  test.each([
    ['requests', Array.from({ length: 20_000 }, () => anyhow)],
    [
      'conversations of one account',
      Array.from({ length: 20_000 }, (_, index) => ({ ...anyhow, conversation: BigInt(index) * 0x9e3779b97f4a7c15n })),
    ],
    [
      'accounts with the same conversation',
      Array.from({ length: 20_000 }, (_, accountId) => ({ ...anyhow, accountId, conversation: 7n })),
    ],
  ] as const)('%s are shared out by weight', (_what, orderings) => {
    const { light = 0, heavy = 0, backup = 0 } = shares(orderings);
    // 20,000 draws: five standard deviations are 0.016.
    expect(Math.abs(light - 0.25)).toBeLessThan(0.016);
    expect(Math.abs(heavy - 0.75)).toBeLessThan(0.016);
    expect(backup).toBe(0);
  });

  test('a conversation has the same order each time, and only those of a deployment that goes have to move', () => {
    const conversation = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });
    const sketches = fc
      .uniqueArray(fc.integer({ min: 0, max: 99 }), { minLength: 2, maxLength: 8 })
      .map((numbers) => numbers.map((number) => deployment({ model: `m${number}`, weight: 1 + (number % 4) })));
    fc.assert(
      fc.property(sketches, conversation, fc.nat(7), (deployments, which, index) => {
        const ordering = { ...anyhow, conversation: which };
        const before = orderDeployments(deployments, ordering);
        expect(orderDeployments([...deployments].reverse(), ordering)).toEqual(before);
        const gone = deployments[index % deployments.length];
        const left = deployments.filter((each) => each !== gone);
        expect(modelsOf(orderDeployments(left, ordering))).toEqual(modelsOf(before.filter((each) => each !== gone)));
      }),
    );
  });
});
