/** What can be learned from finished requests, by which accounts, and what cannot. */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import type { ChatCall } from '../../../proxy/nouns/call.ts';
import { noUsage } from '../../../proxy/nouns/usage.ts';
import { Calibration, Calibrations } from '../../../proxy/pricing/calibration.ts';
import type { Model } from '../../../proxy/pricing/catalogue.ts';
import { RequestMeter } from '../../../proxy/pricing/request-meter.ts';
import { type ByScript, countTexts, TextScale, weigh } from '../../../proxy/pricing/text-scale.ts';
import { type TokenScript, tokenScripts } from '../../../shared/catalogue/published-catalogue.ts';
import { picoUsdPerToken } from '../../../shared/money.ts';
import { pricesAt } from '../../harness/prices.ts';
import { samples } from '../../harness/providers/text-samples.ts';
import { deploymentWith, testCall } from '../providers/openai/calls.ts';

const hourMs = 3_600_000;
const scriptIndex = (script: TokenScript) => tokenScripts.indexOf(script);
const latin = scriptIndex('latin');
const noText = new Float64Array(tokenScripts.length);
const weight = { text: noText, structure: 0, certain: 0, mediaParts: 0 };

function text(tokens: { readonly [Script in TokenScript]?: number }): ByScript {
  return Float64Array.from(tokenScripts, (script) => tokens[script] ?? 0);
}

const english = (tokens: number) => text({ latin: tokens });
const output = (completionTokens: number, reasoningTokens = 0) => ({ ...noUsage, completionTokens, reasoningTokens });
const prompt = (promptTokens: number) => ({ ...noUsage, promptTokens });
const first = { accountId: 1, nowMs: 0 };
const voter = (accountId: number, nowMs = 0) => ({ accountId, nowMs });

function taught(times: number, teach: (calibration: Calibration, time: number) => void): Calibration {
  const calibration = new Calibration();
  for (let time = 0; time < times; time += 1) teach(calibration, time);
  return calibration;
}

describe('the learned ratio', () => {
  test('follows a different tokenizer after a thousand tokens, for their script', () => {
    const { ratios } = taught(1, (it) => it.learnOutput(english(1_000), output(700), first));
    expect(ratios[latin]).toBeCloseTo(0.7);
    expect(ratios[scriptIndex('han')]).toBe(1);
    const chinese = taught(1, (it) => it.learnOutput(text({ latin: 50, han: 950 }), output(525), first));
    expect(chinese.ratios[scriptIndex('han')]).toBeCloseTo(0.5);
    expect(chinese.ratios[latin]).toBe(1);
  });

  test('is not changed for other accounts by one account alone, however much it sends', () => {
    const calibration = taught(20, (it, time) => it.learnOutput(english(1_000), output(1_000), voter(time)));
    for (let time = 0; time < 1_000; time += 1) {
      const at = voter(99, time * hourMs * 0.02);
      calibration.learnOutput(english(3_000), output(time % 2 ? 10_000 : 1_000), at);
      calibration.learnPrompt({ ...weight, text: english(3_000) }, prompt(11_000), at);
    }
    expect(calibration.ratios[latin]).toBe(1);
  });

  test('raises no charge by more than a tenth, even if accounts collude', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.record({ account: fc.nat(100), hour: fc.nat(50), ratio: fc.float({ min: 0, max: 10, noNaN: true }) }),
        ),
        fc.constantFrom(...tokenScripts),
        (samples, script) => {
          const calibration = new Calibration();
          for (const { account, hour, ratio } of samples) {
            const counted = text({ [script]: 1_000 });
            calibration.learnPrompt({ ...weight, text: counted }, prompt(1_000 * ratio), voter(account, hour * hourMs));
            calibration.learnPrompt(
              { ...weight, structure: 1_000 },
              prompt(1_000 * ratio),
              voter(account, hour * hourMs),
            );
            calibration.learnPrompt({ ...weight, mediaParts: 1 }, prompt(5_000 * ratio), voter(account, hour * hourMs));
          }
          for (const ratio of calibration.ratios) {
            expect(ratio).toBeGreaterThanOrEqual(0.4);
            expect(ratio).toBeLessThanOrEqual(1.1);
          }
          expect(calibration.promptTokens({ ...weight, structure: 1_000 })).toBeLessThanOrEqual(1_100);
          expect(calibration.promptTokens({ ...weight, mediaParts: 1 })).toBeLessThanOrEqual(1_760);
        },
      ),
    );
  });

  test('is the median of the accounts, each of which counts once', () => {
    const calibration = new Calibration();
    for (const [accountId, ratio] of [0.6, 0.7, 0.8, 0.9, 1].entries()) {
      for (let time = 0; time < accountId + 1; time += 1) {
        calibration.learnOutput(english(1_000), output(1_000 * ratio), voter(accountId));
      }
    }
    expect(calibration.ratios[latin]).toBeCloseTo(0.8);
  });

  test('ignores outliers and short texts', () => {
    const { ratios } = taught(100, (it) => {
      it.learnPrompt({ ...weight, text: english(1_000) }, prompt(90_000), first);
      it.learnPrompt({ ...weight, text: english(1_000) }, prompt(1), first);
      it.learnOutput(english(20), output(10), first);
    });
    expect(ratios[latin]).toBe(1);
  });

  test('follows a change of the tokenizer within the hour', () => {
    const calibration = taught(9, (it, time) => it.learnOutput(english(1_000), output(1_000), voter(time)));
    for (let account = 0; account < 9; account += 1) {
      calibration.learnOutput(english(1_000), output(700), voter(account, hourMs));
    }
    expect(calibration.ratios[latin]).toBeCloseTo(0.7);
  });

  test('starts for each script where the catalogue sets it', () => {
    const calibration = new Calibration({ cyrillic: '1.6' });
    expect(calibration.ratios[scriptIndex('cyrillic')]).toBe(1.6);
    expect(calibration.ratios[latin]).toBe(1);
    calibration.learnOutput(text({ cyrillic: 1_000 }), output(1_700), first);
    expect(calibration.ratios[scriptIndex('cyrillic')]).toBeCloseTo(1.7);
    expect(new Calibration('0.8').ratios).toEqual(noText.map(() => 0.8));
  });

  test('is separate for tools, and images have that of the deployment’s prompts', () => {
    const calibration = taught(5, (it, time) => {
      it.learnPrompt({ ...weight, structure: 1_000 }, prompt(500), voter(time));
      it.learnPrompt({ ...weight, certain: 6, mediaParts: 2 }, prompt(1_206), voter(time));
    });
    expect(calibration.promptTokens({ ...weight, structure: 1_000 })).toBe(500);
    expect(calibration.promptTokens({ ...weight, mediaParts: 4 })).toBe(2_400);
    expect(new Calibration().promptTokens({ ...weight, mediaParts: 1 })).toBe(1_600);
  });
});

describe('a client that hangs up', () => {
  const texts = Object.values(samples).map((sample) => sample.slice(0, 2_000));
  const finished = texts.map((text) => {
    const counts = countTexts([text]);
    const times = Math.ceil(1_000 / weigh(counts));
    return counts.map((tokens) => tokens * times);
  });
  /** A tokenizer that differs from o200k_base in each script. */
  const tokenizer = fc.array(fc.double({ min: 0.45, max: 1.35, noNaN: true }), {
    minLength: tokenScripts.length,
    maxLength: tokenScripts.length,
  });

  test('a client that hangs up pays for 80 to 110 % in any script and mixture, at any moment', () => {
    fc.assert(
      fc.property(
        tokenizer,
        fc.subarray(texts, { minLength: 1, maxLength: 3 }),
        fc.integer({ min: 1, max: 300 }),
        fc.double({ min: 0.05, max: 1, noNaN: true }),
        (ratios, parts, chunkCharacters, moment) => {
          const truthOf = (read: string) => weigh(countTexts([read]), Float64Array.from(ratios));
          const calibration = new Calibration();
          for (const counts of finished) {
            calibration.learnOutput(counts, output(Math.round(weigh(counts, Float64Array.from(ratios)))), first);
          }
          const all = parts.join('\n');
          const delivered = all.slice(0, Math.max(120, Math.floor(all.length * moment)));
          const scale = new TextScale(calibration.ratios);
          for (let start = 0; start < delivered.length; start += chunkCharacters) {
            scale.add(delivered.slice(start, start + chunkCharacters));
          }
          const truth = truthOf(delivered);
          expect(scale.tokens).toBeGreaterThanOrEqual(Math.floor(0.8 * truth));
          expect(scale.tokens).toBeLessThanOrEqual(Math.ceil(1.1 * truth));
        },
      ),
      { numRuns: 100 },
    );
  });
});

test('the number of remembered deployments is limited', () => {
  const calibrations = new Calibrations();
  const known = calibrations.of({ name: 'first' });
  expect(calibrations.of({ name: 'first' })).toBe(known);
  for (let count = 0; count < 5_000; count += 1) calibrations.of({ name: `deployment-${count}` });
  expect(calibrations.of({ name: 'first' })).not.toBe(known);
});

describe('after the client has left', () => {
  const price = picoUsdPerToken(1n);

  function meterOf(call: ChatCall, { calibration = new Calibration(), reasoning = price } = {}): RequestMeter {
    const limits = { createdAt: 0, contextTokens: 1, maxOutputTokens: 1 };
    const model: Model = {
      ...limits,
      id: 'm',
      kind: 'chat',
      ownedBy: 'p',
      deployments: [],
      prices: pricesAt({ prompt: price, completion: price, reasoning }),
    };
    return new RequestMeter({ accountId: 1, call, model, deployment: deploymentWith({}) }, calibration);
  }

  function needsUsage(
    body: object,
    {
      calibration = new Calibration(),
      mediaParts = 0,
      reasoning = price,
      reported = null as typeof noUsage | null,
    } = {},
  ): boolean {
    return meterOf(testCall({ body: { ...body }, mediaParts }), { calibration, reasoning }).needsUsage(reported);
  }

  const hidden = taught(1, (it) => it.learnOutput(english(10), output(510, 500), first));
  const shown = taught(1, (it) => it.learnOutput(english(500), output(510, 490), first));

  test('the usage is awaited if the model reasons in secret, until several responses had no reasoning', () => {
    expect(needsUsage({}, { calibration: hidden })).toBe(true);
    expect(needsUsage({}, { calibration: shown })).toBe(false);
    const silent = taught(1, (it) => it.learnOutput(english(10), output(510), first));
    expect(needsUsage({}, { calibration: silent })).toBe(true);
    for (let count = 0; count < 64; count += 1) silent.learnOutput(english(10), output(10), first);
    expect(needsUsage({}, { calibration: silent })).toBe(false);
  });

  test('the usage is awaited if the request asks for reasoning, unless responses have shown it', () => {
    const bodies = [{ reasoning_effort: 'low' }, { reasoning: { effort: 'high' } }, { reasoning: { max_tokens: 9 } }];
    for (const body of bodies) {
      expect(needsUsage(body)).toBe(true);
      expect(needsUsage(body, { calibration: shown })).toBe(false);
    }
    expect(needsUsage({ reasoning_effort: 'none' })).toBe(false);
    expect(needsUsage({})).toBe(false);
  });

  test('the usage of a later text is not awaited because an earlier response was audio with its transcript', () => {
    const calibration = new Calibration();
    const meter = meterOf(testCall({ outputsAudio: true }), { calibration });
    meter.scale.add(samples.English ?? '');
    meter.learn({ ...noUsage, completionTokens: 2_000, audioCompletionTokens: 1_900 });
    expect(needsUsage({}, { calibration })).toBe(false);
    expect(calibration.ratios[latin]).toBe(1);
  });

  test('the usage is awaited if reasoning has its own price', () => {
    expect(needsUsage({}, { reasoning: picoUsdPerToken(2n) })).toBe(true);
  });

  test('the usage is awaited if the prompt has media whose tokens have not been reported', () => {
    expect(needsUsage({}, { mediaParts: 1 })).toBe(true);
    expect(needsUsage({}, { mediaParts: 1, reported: noUsage })).toBe(false);
  });
});
