/** Waits for the next turn of the event loop, so that others go on in between. */

export function nextTurn(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}
