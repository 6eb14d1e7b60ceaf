/** The share of recent requests that failed, in two buckets however many requests there are. */

const bucketMs = 10_000;
/** With fewer requests, the share is meaningless. */
const requestsMin = 20;
const failureShareMax = 0.5;

interface Bucket {
  readonly number: number;
  requests: number;
  failures: number;
}

export class FailureWindow {
  #current: Bucket = emptyBucket(0);
  #previous: Bucket = emptyBucket(0);

  count(nowMs: number, failed: boolean): void {
    this.#moveTo(nowMs);
    this.#current.requests += 1;
    if (failed) this.#current.failures += 1;
  }

  /** Whether half of the requests of the last 10 to 20 seconds failed. */
  isBad(nowMs: number): boolean {
    this.#moveTo(nowMs);
    const requests = this.#current.requests + this.#previous.requests;
    const failures = this.#current.failures + this.#previous.failures;
    return requests >= requestsMin && failures >= requests * failureShareMax;
  }

  clear(): void {
    this.#current = emptyBucket(0);
    this.#previous = emptyBucket(0);
  }

  #moveTo(nowMs: number): void {
    const number = Math.floor(nowMs / bucketMs);
    if (number === this.#current.number) return;
    this.#previous = number === this.#current.number + 1 ? this.#current : emptyBucket(number - 1);
    this.#current = emptyBucket(number);
  }
}

function emptyBucket(number: number): Bucket {
  return { number, requests: 0, failures: 0 };
}
