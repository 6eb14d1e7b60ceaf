/** Which requests are traced, by OpenTelemetry's own variables: OTEL_TRACES_SAMPLER and OTEL_TRACES_SAMPLER_ARG. */
import { getNumberFromEnv, getStringFromEnv } from '@opentelemetry/core';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace-base';

const parentBased = (root: Sampler) => new ParentBasedSampler({ root });
const byRatio = () => new TraceIdRatioBasedSampler(getNumberFromEnv('OTEL_TRACES_SAMPLER_ARG') ?? 1);

const samplers: Readonly<Record<string, () => Sampler>> = {
  always_on: () => new AlwaysOnSampler(),
  always_off: () => new AlwaysOffSampler(),
  traceidratio: byRatio,
  parentbased_always_on: () => parentBased(new AlwaysOnSampler()),
  parentbased_always_off: () => parentBased(new AlwaysOffSampler()),
  parentbased_traceidratio: () => parentBased(byRatio()),
};

/** Throws if the variable names a sampler that does not exist. */
export function samplerOfEnvironment(): Sampler {
  const name = getStringFromEnv('OTEL_TRACES_SAMPLER') ?? 'parentbased_always_on';
  const create = samplers[name];
  if (create !== undefined) return create();
  throw new Error(`OTEL_TRACES_SAMPLER is ${name}; it must be one of ${Object.keys(samplers).join(', ')}`);
}
