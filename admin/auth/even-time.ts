/** Responses about addresses take the same time whether or not the address has an account. */

/** Far longer than looking up a user and queueing a mail takes. */
const respondAfterMs = 150;

export async function inEvenTime<Result>(work: Promise<Result>): Promise<Result> {
  const [result] = await Promise.all([work, Bun.sleep(respondAfterMs)]);
  return result;
}
