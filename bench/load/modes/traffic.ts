/** The interface of every mode of load: it runs from its start until it is stopped. */
import type { LoadJob } from '../job.ts';
import type { Recorder } from '../recorder.ts';
import type { Requests } from '../requests.ts';

export interface Traffic {
  /** No request is in flight when it resolves. */
  stop(): Promise<void>;
}

export interface TrafficOptions {
  readonly job: LoadJob;
  readonly requests: Requests;
  readonly recorder: Recorder;
}
