/** What every page must be: accessible in both themes and languages, and never wider than a phone. */

import { expect } from 'bun:test';
import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright-core';
import { waitFor } from '../../harness/account-view.ts';
import { settled } from './dashboard.ts';

const languages = ['en', 'ru'] as const;
type Scheme = 'light' | 'dark';
const schemeTimeoutMs = 60_000;
/** After this long the change is made again. */
const schemeAttemptMs = 5_000;
const wide = { width: 1280, height: 1000 };
/** The narrowest phone that is supported. */
const narrow = { width: 360, height: 800 };

/** axe finds no violation in what the page shows now: of any rule, or of these. */
export async function expectAccessible(page: Page, rules?: string[]): Promise<void> {
  const axe = new AxeBuilder({ page });
  const { violations } = await (rules === undefined ? axe : axe.withRules(rules)).analyze();
  const found = violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html}\n${failureSummary}`),
  );
  expect(found).toEqual([]);
}

/** The accessible name of each control is its label: what explains it is its description. */
export async function expectNamedByLabels(page: Page): Promise<void> {
  const labels: string[] = await page.evaluate(markLabelled);
  for (const [index, label] of labels.entries()) {
    const snapshot = await page.locator(`[data-audited="${index}"]`).ariaSnapshot();
    const [, name] = /^- \w+ ("(?:[^"\\]|\\.)*")/.exec(snapshot) ?? [];
    expect([label, name && JSON.parse(name)]).toEqual([label, label]);
  }
}

/** On a phone, a small laptop and a usual screen nothing is wider than the page, and no text is cut. Leaves it wide. */
export async function expectFits(page: Page): Promise<void> {
  for (const size of [narrow, { width: 1024, height: 800 }, wide]) {
    await page.setViewportSize(size);
    await settled(page);
    const misfits: string[] = await page.evaluate(findMisfits);
    expect(misfits.map((misfit) => `at ${size.width} pixels: ${misfit}`)).toEqual([]);
  }
}

/** Everything at once, in one line: the page as it is now, in both languages and themes, wide and narrow. */
export async function expectAudited(page: Page): Promise<void> {
  for (const language of languages) {
    if ((await page.locator('html').getAttribute('lang')) !== language) {
      await page.evaluate(`localStorage.setItem('gateway.language', '${language}')`);
      await page.reload();
      await settled(page);
    }
    expect(await page.locator('html').getAttribute('lang')).toBe(language);
    await expectNamedByLabels(page);
    await changeScheme(page, 'light');
    await expectAccessible(page);
    // Nothing else depends on the theme.
    await changeScheme(page, 'dark');
    await expectAccessible(page, ['color-contrast']);
    await expectFits(page);
  }
  await page.evaluate("localStorage.removeItem('gateway.language')");
}

/** Again and again until the page follows: the browser may drop a change that comes while the page is being mounted. */
async function changeScheme(page: Page, wanted: Scheme): Promise<void> {
  const follows = page.locator(`html[data-mantine-color-scheme=${wanted}]`);
  await waitFor(`the ${wanted} theme`, schemeTimeoutMs, async () => {
    for (const colorScheme of [null, wanted]) await page.emulateMedia({ colorScheme });
    return follows.waitFor({ timeout: schemeAttemptMs }).then(
      () => true,
      () => false,
    );
  });
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
  for (const root of roots) {
    const label = root.querySelector('[class$="-label"], [class*="-label "]');
    const control = root.querySelector('input:not([type=hidden]), select, textarea');
    if (label === null || control === null || control.dataset.audited !== undefined) continue;
    // Behind an open dialog.
    if (control.closest('[aria-hidden=true], [inert]') !== null) continue;
    if (control.closest('.mantine-Radio-root') !== null && !root.matches('.mantine-Radio-root')) continue;
    const shown = label.cloneNode(true);
    for (const mark of shown.querySelectorAll('[aria-hidden=true]')) mark.remove();
    control.dataset.audited = String(labels.length);
    labels.push(shown.textContent.trim());
  }
  return labels;
})()`;
