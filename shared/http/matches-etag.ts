/** Whether a client already has the response, by its `If-None-Match` (RFC 9110 §13.1.2). */

/** The comparison is weak, as the RFC requires: `W/` does not matter. */
export function matchesEtag(ifNoneMatch: string | null | undefined, etag: string): boolean {
  if (ifNoneMatch === null || ifNoneMatch === undefined) return false;
  const known = ifNoneMatch.split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  return known.includes('*') || known.includes(etag);
}
