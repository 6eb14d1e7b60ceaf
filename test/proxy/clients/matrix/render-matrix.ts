/** Renders the matrix for docs/clients.md. */
import { errorRegistry } from '../../../../shared/errors.ts';
import { Cannot, type Driver, type Path, type Places, type Remark } from './driver.ts';
import type { Refusal, Refused } from './refusals.ts';
import type { Scenario } from './scenarios.ts';

export interface Outcomes {
  readonly drivers: readonly Driver[];
  readonly scenarios: readonly Scenario[];
  readonly refusals: readonly Refusal[];
  ofScenario(driver: Driver, scenario: Scenario): Promise<Remark | undefined>;
  ofRefusal(driver: Driver, refusal: Refusal): Promise<Refused>;
  /** Of an npm package. */
  versionOf(name: string): string;
}

export async function renderMatrix(outcomes: Outcomes): Promise<string> {
  const { drivers, versionOf } = outcomes;
  const names = [...new Set(drivers.flatMap(({ packages }) => packages))];
  const packages = names.map((name) => `\`${name}\` ${versionOf(name)}`);
  return [
    `Tested: ${packages.join(', ')}.`,
    await renderScenarios(outcomes),
    "Where each client exposes the gateway's values:",
    renderPlaces(drivers),
    'How each client reports errors (↻: it retries on its own):',
    await renderRefusals(outcomes),
  ].join('\n\n');
}

async function renderScenarios({ drivers, scenarios, ofScenario }: Outcomes): Promise<string> {
  const remarks: string[] = [];
  const rows: string[][] = [];
  for (const scenario of scenarios) {
    const cells: string[] = [];
    for (const driver of drivers) {
      const remark = await ofScenario(driver, scenario);
      const mark = remark instanceof Cannot ? '–' : '✔';
      if (remark !== undefined && !remarks.includes(remark.text)) remarks.push(remark.text);
      cells.push(remark === undefined ? mark : `${mark} (${remarks.indexOf(remark.text) + 1})`);
    }
    rows.push([scenario.title, ...cells]);
  }
  const notes = remarks.map((text, index) => `(${index + 1}) ${text}`).join('; ');
  return `${table(['', ...titlesOf(drivers)], rows)}\n\n${notes}.`;
}

const placeTitles: Readonly<Record<keyof Places, string>> = {
  promptTokens: 'Tokens of the prompt',
  completionTokens: 'Tokens of the response',
  cost: 'Cost in USD',
  status: "An error's status",
  code: "An error's code",
  requestId: "An error's request id",
  streamCode: 'The code of an error in mid-stream',
};

function renderPlaces(drivers: readonly Driver[]): string {
  const names = Object.keys(placeTitles) as (keyof Places)[];
  return table(
    ['', ...titlesOf(drivers)],
    names.map((name) => [placeTitles[name], ...drivers.map(({ places }) => `\`${renderPath(places[name])}\``)]),
  );
}

function renderPath(path: Path): string {
  const steps = path.map((name) => (/^\w+$/.test(name) ? `.${name}` : `['${name}']`));
  return steps.join('').replace(/^\./, '');
}

async function renderRefusals({ drivers, refusals, ofRefusal }: Outcomes): Promise<string> {
  const rows: string[][] = [];
  for (const refusal of refusals) {
    const cells: string[] = [];
    for (const driver of drivers) cells.push(renderRefused(await ofRefusal(driver, refusal)));
    const { status } = errorRegistry[refusal.code];
    rows.push([`${status} \`${refusal.code}\`: ${refusal.when}`, ...cells]);
  }
  return table(['', ...titlesOf(drivers)], rows);
}

function renderRefused({ classes, triedAgain }: Refused): string {
  return `${classes.map((name) => `\`${name}\``).join(' of ')}${triedAgain ? ' ↻' : ''}`;
}

const titlesOf = (drivers: readonly Driver[]) => drivers.map(({ title }) => title);

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');
}
