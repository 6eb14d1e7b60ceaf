/** Where a log-in leads: the page that asked for it. An address of another site is ignored. */
export function safeBackPath(back: string | undefined): string {
  return back !== undefined && /^\/(?![/\\])/.test(back) ? back : '/';
}
