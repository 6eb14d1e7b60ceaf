/** An item of a response's output while it grows. Each addition emits an event. */
import type { ItemStatus, ResponseItem } from '../../../endpoints/responses/response-schemas.ts';
import type { Emit } from './events.ts';

/** The item's position in its response, and where its events go. */
export interface Place {
  readonly id: string;
  readonly outputIndex: number;
  readonly emit: Emit;
}

export interface OutputItem {
  /** The item as it is now. An item that has not ended gets this status. */
  show(unended: ItemStatus): ResponseItem;
  /** Called when nothing more follows. A second call does nothing. */
  end(status: ItemStatus): void;
}
