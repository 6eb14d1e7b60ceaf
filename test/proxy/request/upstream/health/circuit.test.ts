/** When the circuit breaker admits requests. The test controls the time. */
import { describe, expect, test } from 'bun:test';
import { Circuit } from '../../../../../proxy/request/upstream/health/circuit.ts';

/** Selects the longest backoff. */
const latest = () => 1;

function pass(circuit: Circuit, nowMs: number): number {
  const admitted = circuit.admit(nowMs);
  if (admitted === undefined) throw new Error(`not admitted at ${nowMs}`);
  return admitted;
}

function failTimes(circuit: Circuit, times: number, nowMs: number): void {
  for (let time = 0; time < times; time += 1) circuit.failed(pass(circuit, nowMs), nowMs);
}

function opened(): Circuit {
  const circuit = new Circuit(latest);
  failTimes(circuit, 8, 0);
  return circuit;
}

describe('a closed circuit breaker', () => {
  test('opens after eight consecutive failures, not after seven', () => {
    const circuit = new Circuit(latest);
    failTimes(circuit, 7, 0);
    expect(circuit.state).toBe('closed');
    failTimes(circuit, 1, 0);
    expect(circuit.state).toBe('open');
    expect(circuit.admit(0)).toBeUndefined();
  });

  test('resets the count at a success in between', () => {
    const circuit = new Circuit(latest);
    for (let time = 0; time < 10; time += 1) {
      failTimes(circuit, 3, 0);
      for (let success = 0; success < 5; success += 1) circuit.succeeded(pass(circuit, 0), 0);
    }
    expect(circuit.state).toBe('closed');
  });

  test('opens if half of at least twenty recent requests failed, even if not consecutively', () => {
    const circuit = new Circuit(latest);
    for (let time = 0; time < 9; time += 1) {
      circuit.succeeded(pass(circuit, 1_000), 1_000);
      circuit.failed(pass(circuit, 1_000), 1_000);
    }
    circuit.succeeded(pass(circuit, 1_000), 1_000);
    expect(circuit.state).toBe('closed');
    circuit.failed(pass(circuit, 1_000), 1_000);
    expect(circuit.state).toBe('open');
  });

  test('forgets old failures', () => {
    const circuit = new Circuit(latest);
    for (let time = 0; time < 18; time += 1) {
      const nowMs = time * 20_000;
      circuit.succeeded(pass(circuit, nowMs), nowMs);
      circuit.failed(pass(circuit, nowMs), nowMs);
      circuit.failed(pass(circuit, nowMs), nowMs);
    }
    expect(circuit.state).toBe('closed');
  });
});

describe('an open circuit breaker', () => {
  test('admits exactly one request as a probe after its time, whose success closes it', () => {
    const circuit = opened();
    expect(circuit.readyAtMs).toBe(1_000);
    expect(circuit.admit(999)).toBeUndefined();
    const probe = pass(circuit, 1_000);
    expect(circuit.state).toBe('half_open');
    expect(circuit.admit(1_000)).toBeUndefined();
    circuit.succeeded(probe, 1_100);
    expect(circuit.state).toBe('closed');
    pass(circuit, 1_100);
    pass(circuit, 1_100);
  });

  test('doubles its time at each failed probe, up to half a minute, and a success resets it', () => {
    const circuit = opened();
    const times: number[] = [];
    for (let probe = 0; probe < 7; probe += 1) {
      const nowMs = circuit.readyAtMs;
      circuit.failed(pass(circuit, nowMs), nowMs);
      times.push(circuit.readyAtMs - nowMs);
    }
    expect(times).toEqual([2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000]);
    const nowMs = circuit.readyAtMs;
    circuit.succeeded(pass(circuit, nowMs), nowMs);
    failTimes(circuit, 8, nowMs);
    expect(circuit.readyAtMs - nowMs).toBe(1_000);
  });

  test('has jitter over the upper half of its time, so that replicas do not retry in lockstep', () => {
    const earliest = new Circuit(() => 0);
    failTimes(earliest, 8, 0);
    expect(earliest.readyAtMs).toBe(500);
  });

  test('admits another probe after one that ends without a verdict, or not at all', () => {
    const circuit = opened();
    circuit.abandoned(pass(circuit, 1_000), 1_200);
    pass(circuit, 1_200);
    expect(circuit.admit(11_199)).toBeUndefined();
    const late = pass(circuit, 11_200);
    circuit.succeeded(late, 11_300);
    expect(circuit.state).toBe('closed');
  });

  test('is not affected by requests sent before it opened', () => {
    const circuit = new Circuit(latest);
    const old = pass(circuit, 0);
    failTimes(circuit, 8, 0);
    circuit.succeeded(old, 10);
    expect(circuit.state).toBe('open');
    circuit.failed(old, 10);
    expect(circuit.readyAtMs).toBe(1_000);
    circuit.succeeded(pass(circuit, 1_000), 1_000);
    for (let time = 0; time < 8; time += 1) circuit.failed(old, 1_000);
    expect(circuit.state).toBe('closed');
  });

  test('stays open for longer after a failure that takes people to fix', () => {
    const circuit = new Circuit(latest);
    failTimes(circuit, 7, 0);
    circuit.failed(pass(circuit, 0), 0, 60_000);
    expect(circuit.readyAtMs).toBe(60_000);
  });
});

describe('a resting circuit breaker', () => {
  test('rests for as long as requested, at most a minute, and then admits all requests', () => {
    const circuit = new Circuit(latest);
    circuit.pauseRequested(pass(circuit, 0), 0, 3_000);
    expect(circuit.admit(2_999)).toBeUndefined();
    expect(circuit.state).toBe('closed');
    pass(circuit, 3_000);
    pass(circuit, 3_000);
    circuit.pauseRequested(pass(circuit, 3_000), 3_000, 86_400_000);
    expect(circuit.readyAtMs).toBe(63_000);
  });

  test('rests until the end of the last of several pauses', () => {
    const circuit = new Circuit(latest);
    const passes = [pass(circuit, 0), pass(circuit, 0)];
    circuit.pauseRequested(passes[0] ?? 0, 0, 5_000);
    circuit.pauseRequested(passes[1] ?? 0, 0, 1_000);
    expect(circuit.readyAtMs).toBe(5_000);
  });

  test('rests longer each time if no time was requested', () => {
    const circuit = new Circuit(latest);
    const times: number[] = [];
    for (let time = 0; time < 6; time += 1) {
      const nowMs = circuit.readyAtMs;
      circuit.pauseRequested(pass(circuit, nowMs), nowMs, undefined);
      times.push(circuit.readyAtMs - nowMs);
    }
    expect(times).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000]);
  });

  test('lets a probe with a Retry-After rest, without counting it as a failure', () => {
    const circuit = opened();
    circuit.pauseRequested(pass(circuit, 1_000), 1_000, 4_000);
    expect(circuit.admit(4_999)).toBeUndefined();
    circuit.succeeded(pass(circuit, 5_000), 5_000);
    expect(circuit.state).toBe('closed');
  });
});
