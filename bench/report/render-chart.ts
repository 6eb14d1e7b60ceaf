/** Charts as one SVG, readable on light and on dark pages, without a library. */
import { significant } from './format.ts';
import type { Chart } from './section.ts';

const width = 720;
const margin = 16;
const titleHeight = 28;
const barHeight = 22;
const barGap = 6;
const nameWidth = 110;
const valueWidth = 80;
const lineHeight = 180;
const style = `
  text { font: 13px system-ui, sans-serif; fill: #24292f } .title { font-weight: 600 } .value { fill: #57606a }
  .bar { fill: #8c959f } .own { fill: #0969da } .line { fill: none; stroke: #0969da; stroke-width: 1.5 }
  @media (prefers-color-scheme: dark) { text { fill: #e6edf3 } .value { fill: #9da7b3 } .bar { fill: #6e7681 }
  .own { fill: #4493f8 } .line { stroke: #4493f8 } }`;

export function renderChart(charts: readonly Chart[]): string {
  let top = margin;
  const parts: string[] = [];
  for (const chart of charts) {
    const drawn = chart.kind === 'bars' ? drawBars(chart) : drawLine(chart);
    parts.push(`<g transform="translate(${margin} ${top})">${drawn.svg}</g>`);
    top += drawn.height + margin;
  }
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${top}" role="img"><title>What was measured</title><style>${style}</style>
${parts.join('\n')}
</svg>
`;
}

function drawBars({ title, bars }: Chart & { kind: 'bars' }): { svg: string; height: number } {
  const greatest = Math.max(...bars.map(({ value }) => value));
  const room = width - 2 * margin - nameWidth - valueWidth;
  const rows = bars.map(({ name, value }, index) => {
    const y = titleHeight + index * (barHeight + barGap);
    const length = Math.max(1, (value / greatest) * room);
    const baseline = y + barHeight * 0.7;
    return [
      `<text x="0" y="${baseline}">${escaped(name)}</text>`,
      `<rect class="${name === 'gateway' ? 'own' : 'bar'}" x="${nameWidth}" y="${y}" width="${length.toFixed(1)}" height="${barHeight}"/>`,
      `<text class="value" x="${(nameWidth + length + 8).toFixed(1)}" y="${baseline}">${significant(value)}</text>`,
    ].join('');
  });
  return { svg: titleOf(title) + rows.join('\n'), height: titleHeight + bars.length * (barHeight + barGap) };
}

function drawLine({ title, points }: Chart & { kind: 'line' }): { svg: string; height: number } {
  const xMax = Math.max(1, ...points.map(([x]) => x));
  const yMax = Math.max(1, ...points.map(([, y]) => y)) * 1.1;
  const room = width - 2 * margin - valueWidth;
  const place = ([x, y]: readonly [number, number]) =>
    `${((x / xMax) * room).toFixed(1)},${(titleHeight + (1 - y / yMax) * lineHeight).toFixed(1)}`;
  const last = points.at(-1) ?? [0, 0];
  const [lastX = '0', lastY = '0'] = place(last).split(',');
  const label = `<text class="value" x="${Number(lastX) + 8}" y="${Number(lastY) + 4}">${significant(last[1])}</text>`;
  const line = `<polyline class="line" points="${points.map(place).join(' ')}"/>`;
  return { svg: titleOf(title) + line + label, height: titleHeight + lineHeight };
}

function titleOf(title: string): string {
  return `<text class="title" x="0" y="14">${escaped(title)}</text>`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
