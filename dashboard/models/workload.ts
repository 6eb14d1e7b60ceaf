/** The fields of the calculator, and their parameters in the address. */
import type { Workload } from './model.ts';

interface WorkloadField {
  readonly parameter: 'in' | 'out' | 'cached' | 'requests';
  readonly initial: number;
  readonly max: number;
}

export const workloadFields: Readonly<Record<keyof Workload, WorkloadField>> = {
  tokensIn: { parameter: 'in', initial: 1_000, max: 100_000_000 },
  tokensOut: { parameter: 'out', initial: 500, max: 100_000_000 },
  cachedPercent: { parameter: 'cached', initial: 0, max: 100 },
  requestsPerMonth: { parameter: 'requests', initial: 10_000, max: 1_000_000_000_000 },
};

export const workloadNames = ['tokensIn', 'tokensOut', 'cachedPercent', 'requestsPerMonth'] as const;

export type WorkloadParameters = { [Name in WorkloadField['parameter']]: number | undefined };

/** From an address; what is malformed counts as absent. */
export function workloadOf(search: Readonly<Record<string, unknown>>): WorkloadParameters {
  const parameter = (name: keyof Workload) => {
    const { parameter: key, initial, max } = workloadFields[name];
    const value = search[key] === undefined || search[key] === '' ? Number.NaN : Number(search[key]);
    return Number.isSafeInteger(value) && value >= 0 && value <= max && value !== initial ? value : undefined;
  };
  return {
    in: parameter('tokensIn'),
    out: parameter('tokensOut'),
    cached: parameter('cachedPercent'),
    requests: parameter('requestsPerMonth'),
  };
}

/** Of an address that has been read. */
export function completeWorkload(parameters: Partial<WorkloadParameters>): Workload {
  const value = (name: keyof Workload) => parameters[workloadFields[name].parameter] ?? workloadFields[name].initial;
  return {
    tokensIn: value('tokensIn'),
    tokensOut: value('tokensOut'),
    cachedPercent: value('cachedPercent'),
    requestsPerMonth: value('requestsPerMonth'),
  };
}
