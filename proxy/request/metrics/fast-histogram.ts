/**
 * A Prometheus histogram whose observations cost a few nanoseconds: each series is an array of numbers that its observer
 * keeps at hand. The one of prom-client checks and hashes the labels at every observation.
 */
import { Histogram } from 'prom-client';

interface Options {
  readonly name: string;
  readonly help: string;
  /** A histogram has one label. */
  readonly label: string;
  /** Upper bounds, ascending. */
  readonly buckets: readonly number[];
}

/** The observations with one value of the label. */
export class Series {
  readonly #bounds: readonly number[];
  /** By bucket, not cumulative; the last one is above all bounds. */
  readonly counts: number[];
  sum = 0;

  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.counts = new Array<number>(bounds.length + 1).fill(0);
  }

  observe(value: number): void {
    const bounds = this.#bounds;
    let bucket = 0;
    while (bucket < bounds.length && value > (bounds[bucket] ?? 0)) bucket += 1;
    this.counts[bucket] = (this.counts[bucket] ?? 0) + 1;
    this.sum += value;
  }
}

export class FastHistogram extends Histogram {
  readonly #options: Options;
  readonly #series = new Map<string, Series>();

  constructor(options: Options) {
    const { name, help, label, buckets } = options;
    super({ name, help, labelNames: [label], buckets: [...buckets], registers: [] });
    this.#options = options;
  }

  /** Made on first use; from then on it is shown. */
  series(labelValue: string): Series {
    let series = this.#series.get(labelValue);
    if (series === undefined) {
      series = new Series(this.#options.buckets);
      this.#series.set(labelValue, series);
    }
    return series;
  }

  /** What a registry shows; `get` is made of the same. */
  getForPromString() {
    const { name, help } = this.#options;
    const values = [...this.#series].flatMap(([labelValue, series]) => this.#valuesOf(labelValue, series));
    return Promise.resolve({ name, help, type: 'histogram', aggregator: 'sum', values });
  }

  #valuesOf(labelValue: string, { counts, sum }: Series) {
    const { name, label, buckets } = this.#options;
    const labels = { [label]: labelValue };
    let count = 0;
    const cumulative = counts.map((inBucket, at) => {
      count += inBucket;
      return { metricName: `${name}_bucket`, labels: { ...labels, le: buckets[at] ?? '+Inf' }, value: count };
    });
    return [
      ...cumulative,
      { metricName: `${name}_sum`, labels, value: sum },
      { metricName: `${name}_count`, labels, value: count },
    ];
  }
}
