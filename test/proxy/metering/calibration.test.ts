/** What can be learned from finished requests, and what cannot. */
import { describe, expect, test } from 'bun:test';
import type { Model } from '../../../proxy/catalogue/catalogue.ts';
import { Calibration, Calibrations } from '../../../proxy/metering/calibration.ts';
import { RequestMeter } from '../../../proxy/metering/request-meter.ts';
import { noUsage } from '../../../proxy/metering/usage.ts';
import { picoUsdPerToken } from '../../../shared/money.ts';
import { pricesAt } from '../../harness/prices.ts';
import { deploymentWith, testCall } from '../providers/openai/calls.ts';

const weight = { latin: 0, other: 0, structure: 0, certain: 0, mediaParts: 0 };
const latin = (tokens: number) => ({ latin: tokens, other: 0 });
const output = (completionTokens: number, reasoningTokens = 0) => ({ ...noUsage, completionTokens, reasoningTokens });
const prompt = (promptTokens: number) => ({ ...noUsage, promptTokens });

function taught(times: number, teach: (calibration: Calibration) => void): Calibration {
  const calibration = new Calibration();
  for (let time = 0; time < times; time += 1) teach(calibration);
  return calibration;
}

describe('ratios', () => {
  test('a different tokenizer is learned after some answers, for their script', () => {
    const { ratios } = taught(50, (it) => it.learnOutput(latin(1_000), output(1_400)));
    expect(ratios.latin).toBeGreaterThan(1.3);
    expect(ratios.latin).toBeLessThanOrEqual(1.4);
    expect(ratios.other).toBe(1);
    expect(taught(50, (it) => it.learnOutput({ latin: 50, other: 950 }, output(500))).ratios.other).toBeLessThan(0.6);
  });

  test('a single answer moves the ratio little, however long it is', () => {
    expect(taught(1, (it) => it.learnOutput(latin(1e6), output(2e6))).ratios.latin).toBeLessThanOrEqual(1.5);
    expect(taught(1, (it) => it.learnOutput(latin(400), output(800))).ratios.latin).toBeLessThan(1.1);
  });

  test('outliers and short texts teach nothing', () => {
    const { ratios } = taught(100, (it) => {
      it.learnPrompt({ ...weight, latin: 1_000 }, prompt(90_000));
      it.learnPrompt({ ...weight, latin: 1_000 }, prompt(1));
      it.learnOutput(latin(20), output(100));
    });
    expect(ratios).toEqual({ latin: 1, other: 1 });
  });

  test('no ratio leaves its bounds', () => {
    expect(taught(1_000, (it) => it.learnOutput(latin(3_000), output(11_000))).ratios.latin).toBe(1);
    const dear = taught(1_000, (it) => it.learnPrompt({ ...weight, latin: 3_000 }, prompt(11_000)));
    expect(dear.ratios.latin).toBe(2.5);
    const cheap = taught(1_000, (it) => it.learnPrompt({ ...weight, latin: 3_000 }, prompt(800)));
    expect(cheap.ratios.latin).toBe(0.4);
  });

  test('a change of the tokenizer is learned too', () => {
    const calibration = taught(1_000, (it) => it.learnOutput(latin(1_000), output(1_500)));
    for (let time = 0; time < 200; time += 1) calibration.learnOutput(latin(1_000), output(1_000));
    expect(calibration.ratios.latin).toBeLessThan(1.1);
  });

  test('tools have their own ratio, and images count as the average of the deployment', () => {
    const calibration = taught(50, (it) => {
      it.learnPrompt({ ...weight, structure: 1_000 }, prompt(500));
      it.learnPrompt({ ...weight, certain: 6, mediaParts: 2 }, prompt(50_006));
    });
    expect(calibration.promptTokens({ ...weight, structure: 1_000 })).toBeLessThan(600);
    expect(calibration.promptTokens({ ...weight, mediaParts: 4 })).toBe(100_000);
    expect(new Calibration().promptTokens({ ...weight, mediaParts: 1 })).toBe(1_600);
  });
});

test('the number of remembered deployments is limited', () => {
  const calibrations = new Calibrations();
  const first = calibrations.of('first');
  expect(calibrations.of('first')).toBe(first);
  for (let count = 0; count < 5_000; count += 1) calibrations.of(`deployment-${count}`);
  expect(calibrations.of('first')).not.toBe(first);
});

describe('after the client has left, the usage is awaited', () => {
  const price = picoUsdPerToken(1n);

  function needsUsage(
    body: object,
    {
      calibration = new Calibration(),
      mediaParts = 0,
      reasoning = price,
      reported = null as typeof noUsage | null,
    } = {},
  ): boolean {
    const limits = { createdAt: 0, contextTokens: 1, maxOutputTokens: 1 };
    const model: Model = {
      ...limits,
      id: 'm',
      kind: 'chat',
      ownedBy: 'p',
      deployments: [],
      prices: pricesAt({ prompt: price, completion: price, reasoning }),
    };
    const call = testCall({ body: { ...body }, mediaParts });
    return new RequestMeter({ call, model, deployment: deploymentWith({}) }, calibration).needsUsage(reported);
  }

  const hidden = taught(1, (it) => it.learnOutput(latin(10), output(510, 500)));
  const shown = taught(1, (it) => it.learnOutput(latin(500), output(510, 490)));

  test('if the model reasons without showing it, until several answers in a row had none', () => {
    expect(needsUsage({}, { calibration: hidden })).toBe(true);
    expect(needsUsage({}, { calibration: shown })).toBe(false);
    const silent = taught(1, (it) => it.learnOutput(latin(10), output(510)));
    expect(needsUsage({}, { calibration: silent })).toBe(true);
    for (let count = 0; count < 64; count += 1) silent.learnOutput(latin(10), output(10));
    expect(needsUsage({}, { calibration: silent })).toBe(false);
  });

  test('if the request asks for reasoning, unless answers have shown it', () => {
    const bodies = [{ reasoning_effort: 'low' }, { reasoning: { effort: 'high' } }, { reasoning: { max_tokens: 9 } }];
    for (const body of bodies) {
      expect(needsUsage(body)).toBe(true);
      expect(needsUsage(body, { calibration: shown })).toBe(false);
    }
    expect(needsUsage({ reasoning_effort: 'none' })).toBe(false);
    expect(needsUsage({})).toBe(false);
  });

  test('if reasoning has its own price', () => {
    expect(needsUsage({}, { reasoning: picoUsdPerToken(2n) })).toBe(true);
  });

  test('if the prompt has media whose tokens have not been reported', () => {
    expect(needsUsage({}, { mediaParts: 1 })).toBe(true);
    expect(needsUsage({}, { mediaParts: 1, reported: noUsage })).toBe(false);
  });
});
