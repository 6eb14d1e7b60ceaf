/** The benchmark reports whatever was saturated as what limits two replicas. */
import { expect, test } from 'bun:test';
import type { LoadResult } from '../../bench/load/job.ts';
import { limitOf } from '../../bench/scenarios/replica-limits.ts';

const shared = { cores: 2, groups: ['contender', 'redis', 'load'] };

/** Over one second, so that CPU seconds equal cores. */
function resultOf(cpu: Record<string, number>): LoadResult {
  const none = { count: 0, p50: 0, p90: 0, p99: 0, max: 0 };
  const percentiles = { latency: none, firstChunk: none, gap: none };
  return { seconds: 1, requests: 1, chunks: 0, failures: {}, ...percentiles, cpu, usageAtStart: {}, usageAtEnd: {} };
}

const limit = (cpu: Record<string, number>) => limitOf([resultOf(cpu)], 2, shared);

test('a single-threaded server that saturates a core is the limit, whatever else is busy', () => {
  expect(limit({ contender: 1, redis: 0.95 })).toStartWith('Redis');
  expect(limit({ contender: 1, redis: 0.3, load: 0.93 })).toStartWith('the load generator');
});

test('replicas that saturate a core each are their own limit', () => {
  expect(limit({ contender: 1.9, redis: 0.1 })).toBe('the replicas themselves');
});

test('cores that are saturated together are the limit, with their users in order', () => {
  expect(limit({ contender: 1, redis: 0.6, load: 0.2 })).toBe(
    'the 2 cores of the replicas 100 %, Redis 60 %, the load generator 20 % (together 180 %)',
  );
});

test('the limit is reported as not found if nothing is saturated', () => {
  expect(limit({ contender: 0.5, redis: 0.2 })).toStartWith('not among the measured processes');
});
