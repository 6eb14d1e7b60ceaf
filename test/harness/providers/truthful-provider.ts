/**
 * A provider that follows each request's plan, and records the truth: what it received, and what it has written. It
 * counts prompts like the gateway's estimate, so that estimates can be compared to the nano-dollar.
 */
import { countTexts, weigh } from '../../../proxy/pricing/text-scale.ts';
import {
  type Behaviour,
  failWith,
  startScriptedProvider,
  streamedResponse,
  type Truth,
  wholeResponse,
  writtenResponse,
} from './scripted-provider.ts';

/** What the provider does with one request. */
export interface ResponsePlan {
  /** The first word of the request's prompt. */
  readonly marker: string;
  readonly stream: boolean;
  /** What the provider writes; occasionally more than the client allows. */
  readonly tokens: number;
  /** Between two tokens of a stream, or before a whole response. */
  readonly delayMs: number;
  readonly reportsUsage: boolean;
  /** `fails` before any output; `cuts` the connection or sends an `error` after `breaksAfterTokens`. */
  readonly provider: 'answers' | 'fails' | 'cuts' | 'error';
  readonly breaksAfterTokens: number;
}

/** The truth about one request. */
export interface UpstreamTruth {
  /** Of all attempts that were not refused; a request that failed over comes twice. */
  readonly promptTokens: number;
  /** Of one, if any provider accepts it. */
  readonly promptTokensOfOne: number;
  readonly outputTokens: number;
}

export interface TruthfulProvider {
  readonly baseUrl: string;
  expect(plan: ResponsePlan): void;
  truthOf(plan: ResponsePlan): UpstreamTruth;
  /** Streams in progress. */
  streamsRunning(): number;
  /** Whole responses sent to the gateway. */
  wholeResponsesSent(): number;
  stop(): Promise<void>;
}

/** What a chat template adds to a message. */
const templateTokens = 6;

export function promptOf({ marker }: ResponsePlan): string {
  return `${marker} asks for a few words about money that survives anything.`;
}

/** Serves the models of the test catalogue. */
export function startTruthfulProvider(): TruthfulProvider {
  const { baseUrl, requests, on, stop } = startScriptedProvider();
  const expected = new Map<string, { readonly behaviour: Behaviour; readonly attempts: Truth[] }>();
  const attempt = (behaviourOf: (planned: Behaviour) => Behaviour): Behaviour => {
    return (truth, request) => {
      const [marker = ''] = truth.prompt.split(' ', 1);
      const plan = expected.get(marker);
      plan?.attempts.push(truth);
      return behaviourOf(plan?.behaviour ?? failWith(500, 'this request has no plan'))(truth, request);
    };
  };
  for (const model of ['upstream-chat', 'upstream-priced', 'upstream-second'])
    on(
      model,
      attempt((planned) => planned),
    );
  const busy = failWith(503, 'always busy, so that the next deployment is asked');
  on(
    'upstream-first',
    attempt(() => busy),
  );
  return {
    baseUrl,
    expect: (plan) => void expected.set(plan.marker, { behaviour: behaviourOf(plan), attempts: [] }),
    truthOf: (plan) => {
      const attempts = expected.get(plan.marker)?.attempts ?? [];
      const promptTokensOfOne = promptTokensOf(plan);
      return {
        promptTokensOfOne,
        promptTokens: promptTokensOfOne * attempts.filter(({ refused }) => !refused).length,
        outputTokens: attempts.reduce((sum, { deliveredTokens }) => sum + deliveredTokens, 0),
      };
    },
    streamsRunning: () => requests.filter((truth) => isStream(truth) && !truth.ended && !truth.aborted).length,
    wholeResponsesSent: () => requests.filter((truth) => !isStream(truth) && truth.ended).length,
    stop,
  };
}

function isStream({ body, refused }: Truth): boolean {
  return body.stream === true && !refused;
}

function promptTokensOf(plan: ResponsePlan): number {
  return weigh(countTexts([promptOf(plan)])) + templateTokens;
}

function behaviourOf(plan: ResponsePlan): Behaviour {
  if (plan.provider === 'fails') return failWith(500, 'fails, as planned');
  return plan.stream ? streamOf(plan) : wholeOf(plan);
}

function streamOf(plan: ResponsePlan): Behaviour {
  const { tokens, delayMs, reportsUsage, breaksAfterTokens } = plan;
  const stream = { tokens, promptTokens: promptTokensOf(plan), delayMs, usage: reportsUsage };
  if (plan.provider === 'answers') return streamedResponse(stream);
  const ends = plan.provider === 'cuts' ? 'cut' : 'error';
  return streamedResponse({ ...stream, after: { tokens: breaksAfterTokens, ends } });
}

function wholeOf(plan: ResponsePlan): Behaviour {
  const content = 'money '.repeat(plan.tokens).trim();
  const counts = { promptTokens: promptTokensOf(plan), completionTokens: plan.tokens };
  const whole = wholeResponse({ content, delayMs: plan.delayMs, ...(plan.reportsUsage && { usage: counts }) });
  return async (truth, request) => {
    const response = await whole(truth, request);
    if (!plan.reportsUsage) truth.deliveredTokens = weigh(countTexts([content]));
    return plan.provider === 'cuts' ? cutInHalf(await response.text())(truth, request) : response;
  };
}

/** The connection breaks in the middle of the response. */
function cutInHalf(text: string): Behaviour {
  return writtenResponse(async ({ write }) => {
    write(text.slice(0, text.length / 2));
    await Bun.sleep(1);
    throw new Error('the connection breaks, as planned');
  }, 'application/json');
}
