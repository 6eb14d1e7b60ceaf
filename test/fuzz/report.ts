/** A run as text: the table of responses, the slowest, the longest stalls, and how to reproduce each finding. */
import type { Finding, Outcome } from './outcome.ts';
import { requestText } from './request-text.ts';

const shownOfAKind = 2;

export function renderReport(outcome: Outcome): string {
  const { slowest, longestStopSeconds, requests, findings, known } = outcome;
  const kinds = Map.groupBy(findings, ({ fault }) => kindOf(fault));
  return [
    renderTable(outcome),
    '',
    'slowest:',
    ...slowest.map(({ what, durationMs }) => `  ${String(Math.round(durationMs)).padStart(6)} ms  ${what}`),
    'longest stall of the event loop:',
    ...Object.entries(longestStopSeconds).map(
      ([name, seconds]) => `  ${String(Math.round(seconds * 1_000)).padStart(6)} ms  ${name}`,
    ),
    '',
    ...[...kinds.values()].flatMap((alike) => [
      `FOUND ${alike.length} times: ${alike[0]?.fault}`,
      ...alike.slice(0, shownOfAKind).map((finding) => renderFinding(finding, outcome.seed)),
    ]),
    ...[...known].map(([why, count]) => `known, ${count} times: ${why}`),
    `${requests} requests, ${kinds.size} kinds of findings`,
  ].join('\n');
}

function renderTable({ responses }: Outcome): string {
  const statuses = [...new Set([...responses.values()].flatMap((counts) => [...counts.keys()]))].sort();
  const width = Math.max(...[...responses.keys()].map(({ length }) => length));
  const row = (name: string, cells: readonly string[]) =>
    `${name.padEnd(width)} ${cells.map((cell) => cell.padStart(6)).join('')}`;
  return [
    row('', statuses),
    ...[...responses]
      .sort(([one], [other]) => one.localeCompare(other))
      .map(([name, counts]) =>
        row(
          name,
          statuses.map((status) => String(counts.get(status) ?? '')),
        ),
      ),
  ].join('\n');
}

/** Faults that differ only in numbers and ids are of one kind. */
function kindOf(fault: string): string {
  return fault.replaceAll(/[0-9a-f-]{36}|\d+ of \d+|\d{4,}|"[^"]{30,}"/g, '…').slice(0, 160);
}

function renderFinding({ numbers, drawn, responses = [] }: Finding, seed: number): string {
  const [first = 0, last = first] = numbers;
  const again = drawn === undefined ? '' : `  bun run fuzz --seed ${seed} --only ${first}`;
  return [
    `  seed ${seed}, request ${first === last ? first : `${first} to ${last}`}${again}`,
    ...(drawn === undefined ? [] : [`  ${requestText(drawn)}`]),
    ...responses.map(({ status, body }) => `  → ${status} ${body.slice(0, 300)}`),
  ].join('\n');
}
