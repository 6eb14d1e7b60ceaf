/** The command line of the bench. */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { longScenarios, type Scenario, usualScenarios } from './scenarios/all-scenarios.ts';

const usage = `npm run bench [-- OPTIONS]
  --only json,stream   only these scenarios, of: ${Object.keys({ ...usualScenarios, ...longScenarios }).join(', ')}
  --rounds 5           how many times each contender is measured
  --seconds 3          how long each measurement takes
  --out FILE           where to write the report, with chart.svg and results.json beside it;
                       bench/RESULTS.md for a whole run, else only the terminal
  --full               also a customer with ten million transactions
  --soak               also ten minutes of load, and a million requests
  --quick              a smoke run of two minutes, without nginx and Portkey; its figures mean little`;

export interface BenchOptions {
  readonly scenarios: ReadonlyMap<string, Scenario>;
  readonly rounds: number;
  readonly seconds: number;
  readonly quick: boolean;
  readonly out: string | undefined;
  /** The command as typed. */
  readonly command: string;
}

/** Undefined if the command line is invalid; then the usage has been printed. */
export function readOptions(typed: readonly string[]): BenchOptions | undefined {
  try {
    return parse([...typed]);
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : error}\n${usage}`);
    return undefined;
  }
}

function parse(typed: string[]): BenchOptions {
  const { values } = parseArgs({
    args: typed,
    options: {
      only: { type: 'string' },
      rounds: { type: 'string' },
      seconds: { type: 'string' },
      out: { type: 'string' },
      full: { type: 'boolean', default: false },
      soak: { type: 'boolean', default: false },
      quick: { type: 'boolean', default: false },
    },
  });
  const isWhole = values.only === undefined && !values.quick;
  return {
    scenarios: chooseScenarios(values),
    rounds: positive('--rounds', values.rounds ?? (values.quick ? '1' : '5')),
    seconds: positive('--seconds', values.seconds ?? (values.quick ? '1' : '3')),
    quick: values.quick,
    out: values.out ?? (isWhole ? join(import.meta.dir, 'RESULTS.md') : undefined),
    command: ['npm run bench', ...(typed.length === 0 ? [] : ['--', ...typed])].join(' '),
  };
}

function chooseScenarios(values: { only?: string | undefined; full: boolean; soak: boolean }): Map<string, Scenario> {
  const all: Readonly<Record<string, Scenario>> = { ...usualScenarios, ...longScenarios };
  const names = values.only?.split(',') ?? Object.keys(usualScenarios);
  if (values.full) names.push('transactions');
  if (values.soak) names.push('soak', 'million');
  return new Map(
    names.map((name) => {
      const scenario = all[name];
      if (scenario === undefined) throw new Error(`there is no scenario '${name}'`);
      return [name, scenario];
    }),
  );
}

function positive(name: string, text: string): number {
  const number = Number(text);
  if (!(number > 0)) throw new Error(`${name} must be a number above 0`);
  return number;
}
