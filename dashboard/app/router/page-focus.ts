/** Whether the focus should move to the next page's heading: after a change of the page, not after the first load. */
let isPending = false;

export function requestPageFocus(): void {
  isPending = true;
}

export function takePageFocus(): boolean {
  const was = isPending;
  isPending = false;
  return was;
}
