/**
 * One page in a browser whose CPU is slowed down, measured by the browser's own performance API: what it loads, when its
 * largest content is painted, and how long each interaction takes until the next paint.
 */
import type { BrowserContext, Locator, Page } from 'playwright-core';
import { settled } from '../../test/dashboard/harness/dashboard.ts';

/** As a phone of the middle class, compared with a laptop. */
export const slowdown = 4;

export interface Interaction {
  readonly name: string;
  /** What is pressed. */
  readonly target: (page: Page) => Locator;
  /** What is typed then, key by key. Every event counts. */
  readonly text?: string;
}

export interface PageToMeasure {
  /** With `$id` where the customer's account belongs. */
  readonly path: string;
  readonly as: 'stranger' | 'customer' | 'operator';
  readonly interactions: readonly Interaction[];
}

export interface PageFigures {
  /** Compressed. */
  readonly scriptBytes: number;
  readonly largestPaintMs: number;
  /** The longest from an event to the paint after it, by interaction. */
  readonly delaysMs: Readonly<Record<string, number>>;
}

/** In a tab of a visitor whose cache is empty. */
export async function measurePage(
  context: BrowserContext,
  url: string,
  { interactions }: PageToMeasure,
): Promise<PageFigures> {
  const tab = await context.newPage();
  try {
    const session = await context.newCDPSession(tab);
    await session.send('Emulation.setCPUThrottlingRate', { rate: slowdown });
    await tab.addInitScript(observe);
    await tab.goto(url, { waitUntil: 'commit' });
    // Playwright's own ways to wait would run scripts in the page, which shares its slow CPU with them.
    await session.send('Runtime.evaluate', { expression: 'benchLoaded', awaitPromise: true });
    await settled(tab);
    const { scriptBytes, largestPaintMs } = await readLoad(tab);
    const delaysMs: Record<string, number> = {};
    for (const interaction of interactions) {
      delaysMs[interaction.name] = await measureDelay(tab, interaction);
    }
    return { scriptBytes, largestPaintMs, delaysMs };
  } finally {
    await tab.close();
  }
}

const lookEveryMs = 250;

/**
 * Runs in the page before its own scripts. The page has loaded when it has its heading, and nothing on it still loads. Events
 * shorter than a frame are not reported, and count as 0.
 */
const observe = `
  globalThis.benchLoaded = new Promise((done) => {
    const look = () => {
      if (document.querySelector('h1') && !document.querySelector('[aria-busy=true]')) done();
      else setTimeout(look, ${lookEveryMs});
    };
    setTimeout(look, ${lookEveryMs});
  });
  globalThis.benchPaints = [];
  globalThis.benchDelays = [];
  new PerformanceObserver((list) => {
    for (const { startTime } of list.getEntries()) benchPaints.push(startTime);
  }).observe({ type: 'largest-contentful-paint', buffered: true });
  new PerformanceObserver((list) => {
    for (const { interactionId, duration } of list.getEntries()) if (interactionId > 0) benchDelays.push(duration);
  }).observe({ type: 'event', durationThreshold: 16, buffered: true });`;

async function readLoad(tab: Page): Promise<Pick<PageFigures, 'scriptBytes' | 'largestPaintMs'>> {
  await afterPaints(tab);
  return tab.evaluate(`({
    scriptBytes: performance.getEntriesByType('resource')
      .filter(({ name }) => new URL(name).pathname.endsWith('.js'))
      .reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0),
    largestPaintMs: benchPaints.at(-1) ?? 0,
  })`);
}

/** Looking for elements takes time of the page, so nothing is looked for between the events and the paint. */
async function measureDelay(tab: Page, { target, text = '' }: Interaction): Promise<number> {
  await target(tab).scrollIntoViewIfNeeded();
  const box = await target(tab).boundingBox();
  if (box === null) throw new Error('There is nothing to press.');
  await tab.evaluate('benchDelays.length = 0');
  await tab.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
  await afterPaints(tab);
  for (const letter of text) {
    await tab.keyboard.press(letter);
    await afterPaints(tab);
  }
  await settled(tab);
  await afterPaints(tab);
  return tab.evaluate('Math.max(0, ...benchDelays)');
}

/** Observers are told of a paint in a task after it. */
const afterPaints = (tab: Page) =>
  tab.evaluate(
    'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => requestIdleCallback(done))))',
  );
