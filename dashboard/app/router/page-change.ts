/** Moving from page to page: where a link leads, when the move begins, and where the focus is after it. */
import type { LinkProps } from '@tanstack/react-router';

/** The address of a page, as `to` of a link. */
export type PagePath = NonNullable<LinkProps['to']>;

/**
 * Resolves once the browser has painted what has just changed, such as a pressed button. Work that takes longer than a frame
 * begins after it, so that it is clear that a click was noticed.
 */
export function nextPaint(): Promise<void> {
  // A tab that is not shown is not painted.
  if (document.hidden) return Promise.resolve();
  return new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
}

/** Whether the focus should move to the next page's heading: after a change of the page, not after the first load. */
let isFocusPending = false;

export function requestPageFocus(): void {
  isFocusPending = true;
}

export function takePageFocus(): boolean {
  const was = isFocusPending;
  isFocusPending = false;
  return was;
}
