/** A client that follows its plan and records what it received. Never throws: a broken response is a result. */
import { parseUsd } from '../../../shared/money.ts';
import { promptOf } from '../../harness/providers/truthful-provider.ts';
import type { ClientView, Ending } from './attempt.ts';
import { busyModel, type Plan } from './plan.ts';

const outputToken = /"content":"\d{3}"/g;
const reportedCost = /"cost":([0-9.]+)/;

export interface AskOptions {
  readonly url: string;
  readonly key: string;
  /**
   * By default, each request has a new connection: Bun may resend a request when a kept-alive one turns out to be dead.
   */
  readonly keepsConnection?: boolean;
}

export async function ask(plan: Plan, { url, key, keepsConnection = false }: AskOptions): Promise<ClientView> {
  const startedAtMs = performance.now();
  const waited = () => performance.now() - startedAtMs;
  const leaving = new AbortController();
  const timer = plan.client === 'impatient' ? setTimeout(() => leaving.abort(), plan.leavesAfterMs) : undefined;
  try {
    const response = await fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      keepalive: keepsConnection,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        ...(plan.namesBusyModel ? { model: busyModel, models: [plan.model] } : { model: plan.model }),
        max_tokens: plan.tokensMax,
        messages: [{ role: 'user', content: promptOf(plan) }],
        ...(plan.stream ? { stream: true, stream_options: { include_usage: true } } : {}),
      }),
      signal: leaving.signal,
      timeout: false,
    });
    return await readResponse(response, { plan, leaving, waitedMs: waited() });
  } catch {
    return { ...nothing, waitedMs: waited(), ending: leaving.signal.aborted ? 'left' : 'broken' };
  } finally {
    clearTimeout(timer);
  }
}

const nothing = {
  status: undefined,
  code: undefined,
  requestId: undefined,
  receivedTokens: 0,
  reportedNano: undefined,
} satisfies Omit<ClientView, 'ending' | 'waitedMs'>;

async function readResponse(
  response: Response,
  { plan, leaving, waitedMs }: { plan: Plan; leaving: AbortController; waitedMs: number },
): Promise<ClientView> {
  const { status } = response;
  const requestId = response.headers.get('x-request-id') ?? undefined;
  let text = '';
  const viewOf = (ending: Ending): ClientView => ({
    ending,
    status,
    waitedMs,
    requestId,
    code: /"code":"(\w+)"/.exec(text)?.[1],
    receivedTokens: receivedTokens(text, plan),
    reportedNano: reportedNano(response, text),
  });
  try {
    const decoder = new TextDecoder();
    for await (const bytes of response.body ?? []) {
      text += decoder.decode(bytes, { stream: true });
      if (plan.client === 'leaves' && receivedTokens(text, plan) >= plan.leavesAfterTokens) leaving.abort();
    }
  } catch {
    return viewOf(leaving.signal.aborted ? 'left' : 'broken');
  }
  if (status !== 200) return viewOf('refused');
  if (!plan.stream || text.endsWith('data: [DONE]\n\n')) return viewOf('complete');
  return viewOf(leaving.signal.aborted ? 'left' : text.includes('data: {"error"') ? 'error_event' : 'broken');
}

function receivedTokens(text: string, plan: Plan): number {
  return plan.stream ? (text.match(outputToken)?.length ?? 0) : 0;
}

function reportedNano(response: Response, text: string) {
  const reported = response.headers.get('x-cost-usd') ?? reportedCost.exec(text)?.[1];
  return reported === undefined ? undefined : parseUsd(reported);
}
