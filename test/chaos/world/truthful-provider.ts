/**
 * A provider that follows each request's plan, and records the truth: what it received, and what it has written. It
 * counts prompts like the gateway's estimate, so that estimates can be compared to the nano-dollar.
 */
import { countTexts, weigh } from '../../../proxy/pricing/text-scale.ts';
import type { NanoUsd } from '../../../shared/money.ts';
import {
  type Behaviour,
  failWith,
  startScriptedProvider,
  streamedResponse,
  type Truth,
  wholeResponse,
} from '../../harness/providers/scripted-provider.ts';
import { costAt, markerOf, type Plan, promptOf } from '../load/plan.ts';

/** The truth about one message. */
const templateTokens = 6;

export interface UpstreamTruth {
  /** How often the request came; a request that failed over comes twice. */
  readonly attempts: number;
  readonly promptTokens: number;
  /** The cost of the prompt alone, if any provider accepts it. */
  readonly promptNano: NanoUsd;
  readonly outputTokens: number;
  /** The total cost at the customer's price; zero if the provider failed before any output. */
  readonly costNano: NanoUsd;
}

export interface TruthfulProvider {
  readonly baseUrl: string;
  expect(plan: Plan): Promise<void>;
  truthOf(plan: Plan): UpstreamTruth;
  /** Streams in progress. */
  streamsRunning(): number;
  /** Whole responses sent to the gateway. */
  wholeResponsesSent(): number;
  stop(): Promise<void>;
}

export function startTruthfulProvider(): TruthfulProvider {
  const scripted = startScriptedProvider();
  const plans = new Map<string, Plan>();
  const truths = new Map<string, Truth[]>();
  const promptTokens = new Map<string, number>();
  /** How often a request was processed and not refused. */
  const taken = new Map<string, number>();
  const streams = new Set<Truth>();
  let wholeResponses = 0;

  const behave: Behaviour = async (truth, request) => {
    const plan = plans.get(markerOf(truth.prompt));
    if (plan === undefined) return failWith(500, 'this request has no plan')(truth, request);
    truths.set(plan.marker, [...(truths.get(plan.marker) ?? []), truth]);
    if (plan.provider === 'fails') return failWith(500, 'fails, as planned')(truth, request);
    const counted = promptTokens.get(plan.marker) ?? 0;
    taken.set(plan.marker, (taken.get(plan.marker) ?? 0) + 1);
    if (plan.stream) {
      streams.add(truth);
      return streamOf(plan, counted)(truth, request);
    }
    const response = await wholeOf(plan, counted)(truth, request);
    wholeResponses += 1;
    return response;
  };
  for (const model of ['upstream-chat', 'upstream-priced', 'upstream-second']) scripted.on(model, behave);
  scripted.on('upstream-first', (truth, request) => {
    const { marker } = plans.get(markerOf(truth.prompt)) ?? { marker: '' };
    truths.set(marker, [...(truths.get(marker) ?? []), truth]);
    return failWith(503, 'always busy, so that the next deployment is asked')(truth, request);
  });

  return {
    baseUrl: scripted.baseUrl,
    expect: async (plan) => {
      plans.set(plan.marker, plan);
      promptTokens.set(plan.marker, weigh(countTexts([promptOf(plan)])) + templateTokens);
    },
    truthOf: (plan) => {
      const attempts = truths.get(plan.marker) ?? [];
      const outputTokens = attempts.reduce((sum, { deliveredTokens }) => sum + deliveredTokens, 0);
      const counted = promptTokens.get(plan.marker) ?? 0;
      const prompt = counted * (taken.get(plan.marker) ?? 0);
      return {
        attempts: attempts.length,
        promptTokens: prompt,
        promptNano: costAt(plan.model, { prompt: counted, completion: 0 }),
        outputTokens,
        costNano: costAt(plan.model, { prompt, completion: outputTokens }),
      };
    },
    streamsRunning: () => {
      for (const truth of streams) if (truth.ended || truth.aborted) streams.delete(truth);
      return streams.size;
    },
    wholeResponsesSent: () => wholeResponses,
    stop: scripted.stop,
  };
}

function streamOf(plan: Plan, promptTokens: number): Behaviour {
  const { tokens, delayMs, reportsUsage, breaksAfterTokens } = plan;
  const stream = { tokens, promptTokens, delayMs, usage: reportsUsage };
  if (plan.provider === 'answers') return streamedResponse(stream);
  const ends = plan.provider === 'cuts' ? 'cut' : 'error';
  return streamedResponse({ ...stream, after: { tokens: breaksAfterTokens, ends } });
}

function wholeOf(plan: Plan, promptTokens: number): Behaviour {
  const content = 'money '.repeat(plan.tokens).trim();
  const usage = plan.reportsUsage ? { usage: { promptTokens, completionTokens: plan.tokens } } : {};
  const whole = wholeResponse({ content, delayMs: plan.delayMs, ...usage });
  return async (truth, request) => {
    const response = await whole(truth, request);
    if (!plan.reportsUsage) truth.deliveredTokens = weigh(countTexts([content]));
    return plan.provider === 'cuts' ? cutInHalf(response) : response;
  };
}

/** The connection breaks in the middle of the response. */
async function cutInHalf(response: Response): Promise<Response> {
  const bytes = new Uint8Array(await response.arrayBuffer());
  const body = new ReadableStream<Uint8Array>({
    async start(controller) {
      controller.enqueue(bytes.slice(0, bytes.length / 2));
      await Bun.sleep(1);
      controller.error(new Error('the connection breaks, as planned'));
    },
  });
  return new Response(body, { headers: { 'content-type': 'application/json' } });
}
