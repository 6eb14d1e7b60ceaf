/** Providers that fail, cut streams, or are slow. */
import {
  type Behaviour,
  failWith,
  type ScriptedProvider,
  streamedResponse,
  wholeResponse,
} from '../../../harness/providers/scripted-provider.ts';
import type { Fault } from './fault.ts';

const slowMs = 12_000;

const stream = { tokens: 20, promptTokens: 10, usage: true, delayMs: 60 };
const whole = wholeResponse({ usage: { promptTokens: 10, completionTokens: 5 }, delayMs: 20 });
const wholeStream = streamedResponse(stream);

/** Everything works. */
export function behaveWell(provider: ScriptedProvider): void {
  provider.on('upstream-chat', whole);
  for (const model of ['upstream-first', 'upstream-second']) provider.on(model, wholeStream);
}

export const providerFaults: readonly Fault[] = [
  {
    name: 'a provider returns 500 for every fourth request',
    fires: ['ManyServerErrors', 'DeploymentFailing'],
    begin: behaves('upstream-chat', everyFourth(failWith(500, 'down'), whole)),
  },
  {
    name: 'the only provider of a model is down',
    fires: ['NoHealthyDeployment', 'DeploymentOpen'],
    mayFire: ['ManyServerErrors', 'DeploymentFailing'],
    begin: behaves('upstream-chat', failWith(500, 'down')),
  },
  {
    name: 'a provider cuts every fourth stream',
    fires: ['ManyBrokenStreams'],
    begin: behaves(
      'upstream-first',
      everyFourth(streamedResponse({ ...stream, after: { tokens: 10, ends: 'cut' } }), wholeStream),
    ),
  },
  {
    name: 'a provider begins to answer after 12 s',
    fires: ['SlowFirstToken'],
    firesWithinMs: 120_000,
    begin: behaves('upstream-first', async (truth, request) => {
      await Bun.sleep(slowMs);
      return wholeStream(truth, request);
    }),
  },
];

function everyFourth(bad: Behaviour, good: Behaviour): Behaviour {
  let requests = 0;
  return (truth, request) => {
    requests += 1;
    return (requests % 4 === 0 ? bad : good)(truth, request);
  };
}

function behaves(model: string, behaviour: Behaviour): Fault['begin'] {
  return async ({ provider }) => {
    provider.on(model, behaviour);
    return async () => behaveWell(provider);
  };
}
