/**
 * Which requests are traced, by OpenTelemetry's own variables: OTEL_TRACES_SAMPLER and OTEL_TRACES_SAMPLER_ARG.
 *
 * Invariant: nothing that a client sends makes a request traced. A `traceparent` comes from strangers, so neither its
 * sampled flag nor its trace id, which samplers by ratio look at, counts. With a parent-based sampler, a client can only
 * ask for no trace.
 */
import { ROOT_CONTEXT, type SpanContext, SpanKind, TraceFlags } from '@opentelemetry/api';
import { getNumberFromEnv, getStringFromEnv } from '@opentelemetry/core';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  type Sampler,
  SamplingDecision,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace-base';

const samplers = new Map<string, () => Sampler>([
  ['always_on', () => new AlwaysOnSampler()],
  ['always_off', () => new AlwaysOffSampler()],
  ['traceidratio', () => new TraceIdRatioBasedSampler(getNumberFromEnv('OTEL_TRACES_SAMPLER_ARG') ?? 1)],
]);
const names = [...samplers.keys()].flatMap((name) => [name, `parentbased_${name}`]);

/** `ownTraceId` is made here; `parent` is the client's. */
export type IsSampled = (ownTraceId: string, parent: SpanContext | undefined) => boolean;

/** Throws if the variable names a sampler that does not exist. */
export function samplerOfEnvironment(): IsSampled {
  const name = getStringFromEnv('OTEL_TRACES_SAMPLER') ?? 'parentbased_always_on';
  const [, parentBased, rate = ''] = /^(parentbased_)?(.*)$/.exec(name) ?? [];
  const sampler = samplers.get(rate)?.();
  if (sampler === undefined) throw new Error(`OTEL_TRACES_SAMPLER is ${name}; it must be one of ${names.join(', ')}`);
  const isOurs = (ownTraceId: string) =>
    sampler.shouldSample(ROOT_CONTEXT, ownTraceId, 'POST', SpanKind.SERVER, {}, []).decision ===
    SamplingDecision.RECORD_AND_SAMPLED;
  return (ownTraceId, parent) => {
    const isDeclined = parentBased !== undefined && parent !== undefined && !isFlagged(parent);
    return !isDeclined && isOurs(ownTraceId);
  };
}

function isFlagged({ traceFlags }: SpanContext): boolean {
  return (traceFlags & TraceFlags.SAMPLED) !== 0;
}
