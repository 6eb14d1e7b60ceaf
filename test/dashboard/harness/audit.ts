/** What every page must be: accessible in both themes and languages, and never wider than a phone. */
import { expect } from 'bun:test';
import type { Result, RunOptions } from 'axe-core';
import type { Page, ViewportSize } from 'playwright-core';
import { settled } from './dashboard.ts';

/** The second is in the other language, in the other theme, and on the way back from a phone's width to a screen's. */
export const views = [
  { language: 'en', scheme: 'light', narrowing: true },
  { language: 'ru', scheme: 'dark', narrowing: false },
] as const;
export type View = (typeof views)[number];
type Language = View['language'];
type Scheme = View['scheme'];
/** A usual screen, a small laptop, and the narrowest phone that is supported. */
const usualSize = { width: 1280, height: 1000 };
const sizes = [usualSize, { width: 1024, height: 800 }, { width: 360, height: 800 }];
/** Two seconds. */
const looksMax = 20;
const lookAgainMs = 100;

const axeSource = await Bun.file(Bun.resolveSync('axe-core/axe.min.js', import.meta.dir)).text();
/** Rules that read stylesheets are experimental, and do not run. */
const preload = { assets: ['media'] };

/** The first rows of a table have each kind that it has. */
const repeatedRows = 'tbody tr:nth-child(n + 12)';

/** axe finds no violation in what the page shows now. */
export async function expectAccessible(page: Page): Promise<void> {
  // The content of a frame would not be checked.
  expect(page.frames().length).toBe(1);
  await loadAxe(page);
  const options: RunOptions = { resultTypes: ['violations'], preload };
  const violations = await page.evaluate<Result[]>(
    `axe.run(${JSON.stringify({ exclude: [repeatedRows] })}, ${JSON.stringify(options)}).then(({ violations }) => violations)`,
  );
  const found = violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html}\n${failureSummary}`),
  );
  expect(found).toEqual([]);
}

/** Runs in the page. Whether axe is already there. */
const runStoredAxe = `'axe' in window || ('axe' in sessionStorage && ((0, eval)(sessionStorage.axe), true))`;

/** A tab receives axe once and stores it: the browser takes longer to receive it than to run it. */
async function loadAxe(page: Page): Promise<void> {
  if (await page.evaluate<boolean>(runStoredAxe)) return;
  await page.evaluate(`sessionStorage.axe = ${JSON.stringify(axeSource)}; undefined`);
  await page.evaluate(runStoredAxe);
}

/** The accessible name of each control is its label: explanations are in its description. */
export async function expectNamedByLabels(page: Page): Promise<void> {
  const labels: string[] = await page.evaluate(markLabelled);
  for (const [index, label] of labels.entries()) {
    const snapshot = await page.locator(`[data-audited="${index}"]`).ariaSnapshot();
    const [, name] = /^- \w+ ("(?:[^"\\]|\\.)*")/.exec(snapshot) ?? [];
    expect([label, name && JSON.parse(name)]).toEqual([label, label]);
  }
}

/** On a usual screen, a small laptop and a phone, nothing is wider than the page, and no text is cut. Leaves it wide. */
export async function expectFits(page: Page): Promise<void> {
  await expectFitsAt(page, sizes.slice(1));
  await expectFitsAt(page, sizes.slice(0, 1));
}

async function expectFitsAt(page: Page, inOrder: readonly ViewportSize[]): Promise<void> {
  for (const size of inOrder) {
    await page.setViewportSize(size);
    await settled(page);
    expect((await lastingMisfits(page)).map((misfit) => `at ${size.width} pixels: ${misfit}`)).toEqual([]);
  }
}

/** Some elements follow a new window size only after they are notified of it. */
async function lastingMisfits(page: Page): Promise<string[]> {
  for (let look = 1; ; look += 1) {
    const misfits: string[] = await page.evaluate(findMisfits);
    if (misfits.length === 0 || look === looksMax) return misfits;
    await page.waitForTimeout(lookAgainMs);
  }
}

/**
 * The page as it is now: in English, light and wide, then in Russian, dark and on a phone, or in one of these views. What is
 * opened next in this tab is in the visitor's language again, light, and wide.
 */
export async function expectAudited(page: Page, audited: readonly View[] = views): Promise<void> {
  for (const { language, scheme, narrowing } of audited) {
    const inOrder = narrowing ? sizes : sizes.toReversed();
    await page.setViewportSize(inOrder[0] ?? usualSize);
    await showIn(page, language);
    await changeScheme(page, scheme);
    await expectNamedByLabels(page);
    await expectAccessible(page);
    await expectFitsAt(page, inOrder);
  }
  await page.setViewportSize(usualSize);
  await page.evaluate("localStorage.removeItem('gateway.language')");
  await changeScheme(page, views[0].scheme);
}

async function showIn(page: Page, language: Language): Promise<void> {
  if ((await page.locator('html').getAttribute('lang')) === language) return;
  // As if it were chosen in another tab: most pages with a dialog let nobody reach the menu.
  await page.evaluate(chooseElsewhere(language));
  await page.locator(`html[lang=${language}]`).waitFor({ state: 'attached' });
  await settled(page);
}

/** Runs in the page. */
const chooseElsewhere = (language: Language) => `(() => {
  const [key, newValue] = ['gateway.language', '${language}'];
  localStorage.setItem(key, newValue);
  window.dispatchEvent(new StorageEvent('storage', { key, newValue }));
})()`;

/** The system's theme changes, and the page follows. */
async function changeScheme(page: Page, colorScheme: Scheme): Promise<void> {
  await page.emulateMedia({ colorScheme });
  await page.locator(`html[data-mantine-color-scheme=${colorScheme}]`).waitFor();
}

/** Runs in the page. What is outside at the left is the closed navigation; what is clipped to a pixel is for screen readers. */
const findMisfits = `(() => {
  const limit = document.documentElement.clientWidth;
  const name = (element) => element.tagName.toLowerCase() + '.' + element.className + ': ' + element.textContent.slice(0, 60);
  const misfits = document.documentElement.scrollWidth > limit ? ['the page scrolls sideways'] : [];
  for (const element of document.querySelectorAll('body *')) {
    const { left, right, width, height } = element.getBoundingClientRect();
    const style = getComputedStyle(element);
    if (width <= 1 || height <= 1 || style.visibility === 'hidden' || right <= 0) continue;
    if (width > limit + 0.5 || right > limit + 0.5 || left < -0.5) misfits.push(name(element) + ' from ' + left + ' to ' + right);
    const isCut = style.overflowX !== 'visible' && style.overflowX !== 'auto' && style.overflowX !== 'scroll';
    const isText = element.childElementCount === 0 && element.title === '' && element.tagName !== 'INPUT' && element.tagName !== 'svg';
    if (element.matches('.tile') && element.scrollWidth > element.clientWidth + 1) misfits.push(name(element) + ' leaves its tile');
    if (isText && isCut && element.scrollWidth > element.clientWidth + 1) misfits.push(name(element) + ' is cut');
  }
  return misfits;
})()`;

/** Runs in the page. Marks the controls that have a label, and returns the labels as they are shown. */
const markLabelled = `(() => {
  const roots = document.querySelectorAll('.mantine-InputWrapper-root, .mantine-Switch-root, .mantine-Checkbox-root, .mantine-Radio-root');
  const labels = [];
  for (const marked of document.querySelectorAll('[data-audited]')) delete marked.dataset.audited;
  for (const root of roots) {
    const label = root.querySelector('[class$="-label"], [class*="-label "]');
    const control = root.querySelector('input:not([type=hidden]), select, textarea');
    if (label === null || control === null || control.dataset.audited !== undefined) continue;
    // Behind an open dialog.
    if (control.closest('[aria-hidden=true], [inert]') !== null) continue;
    const ofGroup = control.closest('.mantine-Radio-root, .mantine-Checkbox-root');
    if (ofGroup !== null && ofGroup !== root) continue;
    const shown = label.cloneNode(true);
    for (const mark of shown.querySelectorAll('[aria-hidden=true]')) mark.remove();
    control.dataset.audited = String(labels.length);
    // In a name, every space is the same.
    labels.push(shown.textContent.trim().replaceAll('\\u00a0', ' '));
  }
  return labels;
})()`;
