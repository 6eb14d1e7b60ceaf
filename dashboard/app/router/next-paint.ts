/**
 * Resolves once the browser has painted what has just changed, such as a pressed button. Work that takes longer than a frame
 * begins after it, so that it is clear that a click was noticed.
 */
export function nextPaint(): Promise<void> {
  // A tab that is not shown is not painted.
  if (document.hidden) return Promise.resolve();
  return new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
}
