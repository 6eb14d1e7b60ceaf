/** The last check of a start: the demo key works at the proxy, and there is a model to try. */
import { waitUntil } from '../processes/poll.ts';

const readyMs = 20_000;
const responseTimeoutMs = 2_000;
const preferredModel = 'demo/chat';

/** Resolves to a model that the proxy offers: the demo chat model, or the first of a catalogue without it. */
export async function chooseModel(proxyUrl: string, proxyKey: string, signal: AbortSignal): Promise<string> {
  let models: string[] | undefined;
  let problem = 'no response';
  const check = async () => {
    const outcome = await listModels(proxyUrl, proxyKey);
    if (typeof outcome === 'string') problem = outcome;
    else models = outcome;
    return models !== undefined;
  };
  if (!(await waitUntil(check, { timeoutMs: readyMs, everyMs: 100, signal })) || models === undefined) {
    throw new Error(`The proxy does not accept the demo key (${problem}); see the logs of proxy and admin.`);
  }
  return models.find((id) => id === preferredModel) ?? models[0] ?? preferredModel;
}

async function listModels(proxyUrl: string, proxyKey: string): Promise<string[] | string> {
  try {
    const headers = { authorization: `Bearer ${proxyKey}` };
    const response = await fetch(`${proxyUrl}/v1/models`, { headers, signal: AbortSignal.timeout(responseTimeoutMs) });
    const text = await response.text();
    if (!response.ok) return `${response.status} ${text.slice(0, 300)}`;
    const { data } = JSON.parse(text) as { data: { id: string }[] };
    return data.map(({ id }) => id);
  } catch (error) {
    return String(error);
  }
}
