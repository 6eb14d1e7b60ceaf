/**
 * Every client in every scenario, with the published packages, through one real gateway. docs/clients.md shows the
 * results; `bun run matrix:write` writes it.
 */
import { afterAll, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import type { Driver, Remark } from './matrix/driver.ts';
import { aiSdk } from './matrix/drivers/ai-sdk.ts';
import { anthropic } from './matrix/drivers/anthropic.ts';
import { langchain } from './matrix/drivers/langchain.ts';
import { llamaindex } from './matrix/drivers/llamaindex.ts';
import { openai } from './matrix/drivers/openai.ts';
import { openaiResponses } from './matrix/drivers/openai-responses.ts';
import { playRefusal, type Refusal, type Refused, refusals } from './matrix/refusals.ts';
import { renderMatrix } from './matrix/render-matrix.ts';
import { type Scenario, scenarios } from './matrix/scenarios.ts';
import { type Stage, setStage } from './matrix/stage.ts';

const root = join(import.meta.dir, '../../..');
const drivers = [openai, openaiResponses, aiSdk, langchain, llamaindex, anthropic] as const;

/** Most of the time, clients wait until they try again: so they play on several stages, beside each other. */
const stages = await Promise.all([setStage(), setStage(), setStage()]);
afterAll(async () => {
  await Promise.all(stages.map((stage) => stage.stop()));
});

const ofScenario = once((stage, driver, scenario: Scenario) => scenario.play(stage, driver));
const ofRefusal = once((stage, driver, refusal: Refusal) => playRefusal(stage, driver, refusal));

for (const stage of stages) void playAll(stage);

for (const driver of drivers) {
  describe(driver.title, () => {
    for (const scenario of scenarios) {
      test(scenario.title, async () => {
        await ofScenario(driver, scenario);
      });
    }
    for (const refusal of refusals) {
      test(`refuses ${refusal.when} with ${refusal.code}`, async () => {
        await ofRefusal(driver, refusal);
      });
    }
  });
}

test('docs/clients.md shows the results of the matrix', async () => {
  const { devDependencies } = await Bun.file(join(root, 'package.json')).json();
  const versionOf = (name: string) => String(devDependencies[name]);
  const matrix = await renderMatrix({ drivers, scenarios, refusals, ofScenario, ofRefusal, versionOf });
  const path = join(root, 'docs/clients.md');
  const document = await Bun.file(path).text();
  const section = /(<!-- clients: `bun run matrix:write` writes this -->\n)[\s\S]*?(<!-- end of clients -->)/;
  const written = document.replace(section, (_, begin, end) => `${begin}\n${matrix}\n\n${end}`);
  if (process.env.MATRIX === 'write') await Bun.write(path, written);
  else expect(document).toBe(written);
  expect(document).toMatch(section);
});

function stageOf(driver: Driver): Stage {
  const stage = stages[drivers.indexOf(driver) % stages.length];
  if (stage === undefined) throw new Error('there is no stage');
  return stage;
}

/** One cell after the other, in the order of the tests, each of which waits for its own: what a provider says is of the whole stage. */
async function playAll(stage: Stage): Promise<void> {
  for (const driver of drivers.filter((each) => stageOf(each) === stage)) {
    for (const scenario of scenarios) await ofScenario(driver, scenario).catch(() => {});
    for (const refusal of refusals) await ofRefusal(driver, refusal).catch(() => {});
  }
}

/** Runs each cell only once. */
function once<Row extends Scenario | Refusal, Outcome extends Remark | Refused | undefined>(
  play: (stage: Stage, driver: Driver, row: Row) => Promise<Outcome>,
): (driver: Driver, row: Row) => Promise<Outcome> {
  const played = new Map<Driver, Map<Row, Promise<Outcome>>>();
  return (driver, row) => {
    const cells = played.get(driver) ?? new Map<Row, Promise<Outcome>>();
    played.set(driver, cells);
    const outcome = cells.get(row) ?? play(stageOf(driver), driver, row);
    cells.set(row, outcome);
    return outcome;
  };
}
