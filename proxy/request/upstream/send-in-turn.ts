/**
 * Asks the models of a plan one after the other until one begins to respond. The next one is asked where a model has no healthy
 * deployment, refuses the length of the request, or fails before its first byte; never after it.
 */
import { type ErrorCode, GatewayError } from '../../../shared/errors.ts';
import { roundsMax } from '../../nouns/limits.ts';
import { UpstreamFailure } from '../../nouns/upstream-failure.ts';
import { addressedTo, type CallSource } from '../body/call-source.ts';
import { capWithin, type Plan } from '../planning/plan.ts';
import type { ProxyServices } from '../services.ts';
import type { RunningRequest } from '../settlement/running-request.ts';
import type { SendInput, UpstreamResponse } from './attempt.ts';
import { send } from './send.ts';

interface Sent {
  readonly response: UpstreamResponse;
  /** Of the model that responds. */
  readonly source: CallSource;
}

interface TurnsInput extends Pick<SendInput, 'source' | 'running' | 'dialect' | 'records' | 'deferred'> {
  readonly plan: Plan;
}

/** Throws as `send` does, with what the last model that was asked has failed with. */
export async function sendInTurn(services: ProxyServices, input: TurnsInput): Promise<Sent> {
  const { plan, source, running } = input;
  const turns = turnsOf(input);
  for (const [index, { candidate, outputCap }] of turns.entries()) {
    const { model, quote } = candidate;
    const isLast = index === turns.length - 1;
    const { promptTokensMax, wanted } = quote;
    if (plan.candidates.length > 1) running.ask({ model, promptTokensMax, wanted, outputCap });
    const addressed = addressedTo(source, model.id, candidate.omitsSearch);
    const rounds = isLast ? roundsMax : 1;
    try {
      const response = await send(services, {
        ...input,
        ...candidate,
        preferences: plan.preferences,
        source: addressed,
        rounds,
      });
      return { response, source: addressed };
    } catch (error) {
      if (isLast || !mayAskNext(error, running)) throw error;
      services.log.info({ requestId: running.requestId, model: model.id, err: error }, 'the next model is asked');
    }
  }
  throw new Error('what is held covers the dearest model');
}

/** What is held may have been lowered to what the balance covers, which may be of no use to some. */
function turnsOf({ plan: { candidates }, running }: TurnsInput) {
  if (candidates.length === 1) return candidates.map((candidate) => ({ candidate, outputCap: running.outputCap }));
  return candidates.flatMap((candidate) => {
    const outputCap = capWithin(candidate.quote, running.heldNano);
    return outputCap === undefined ? [] : [{ candidate, outputCap }];
  });
}

const failuresOfModel: readonly ErrorCode[] = ['no_healthy_deployment', 'upstream_error', 'upstream_timeout'];

function mayAskNext(error: unknown, { abort, connection }: RunningRequest): boolean {
  if (abort.reason !== undefined || connection.closed) return false;
  if (error instanceof UpstreamFailure) return error.isTooLong;
  return error instanceof GatewayError && failuresOfModel.includes(error.code);
}
