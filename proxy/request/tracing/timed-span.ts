/**
 * A span as it is recorded while a request runs, in the form that OpenTelemetry's exporters read: two times, and attributes
 * that are known to be right. The spans of its SDK check each attribute against limits and keep several times as much.
 */
import { type HrTime, type SpanContext, SpanKind, type SpanStatus, SpanStatusCode } from '@opentelemetry/api';
import { hrTimeDuration, type InstrumentationScope, millisToHrTime } from '@opentelemetry/core';
import type { Resource } from '@opentelemetry/resources';
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base';

const none: never[] = [];
const instrumentationScope: InstrumentationScope = { name: 'gateway' };
const unset: SpanStatus = { code: SpanStatusCode.UNSET };
const failed: SpanStatus = { code: SpanStatusCode.ERROR };

/** Counts are whole numbers. */
export type SpanAttributes = Record<string, string | number | boolean>;

interface SpanOptions {
  readonly name: string;
  readonly kind?: SpanKind | undefined;
  readonly context: SpanContext;
  readonly parent: SpanContext | undefined;
  readonly attributes: SpanAttributes;
  readonly resource: Resource;
}

export class TimedSpan implements ReadableSpan {
  readonly name: string;
  readonly kind: SpanKind;
  readonly context: SpanContext;
  readonly parentSpanContext?: SpanContext;
  readonly attributes: SpanAttributes;
  readonly resource: Resource;
  status = unset;
  /** On the clock of `performance.now()`, which is never set back. */
  readonly startMs = performance.now();
  endMs = 0;

  constructor({ name, kind = SpanKind.INTERNAL, context, parent, attributes, resource }: SpanOptions) {
    this.name = name;
    this.kind = kind;
    this.context = context;
    if (parent !== undefined) this.parentSpanContext = parent;
    this.attributes = attributes;
    this.resource = resource;
  }

  end(): void {
    this.endMs = performance.now();
  }

  fail(): void {
    this.status = failed;
  }

  spanContext(): SpanContext {
    return this.context;
  }

  get startTime(): HrTime {
    return instantOf(this.startMs);
  }

  get endTime(): HrTime {
    return instantOf(this.endMs);
  }

  get duration(): HrTime {
    return hrTimeDuration(this.startTime, this.endTime);
  }

  get instrumentationScope(): InstrumentationScope {
    return instrumentationScope;
  }

  get links(): never[] {
    return none;
  }

  get events(): never[] {
    return none;
  }

  get ended(): boolean {
    return this.endMs > 0;
  }

  get droppedAttributesCount(): number {
    return 0;
  }

  get droppedEventsCount(): number {
    return 0;
  }

  get droppedLinksCount(): number {
    return 0;
  }
}

function instantOf(ms: number): HrTime {
  return millisToHrTime(performance.timeOrigin + ms);
}
