/** One item of a response's output while it grows; each addition is told as an event. */
import type { ItemStatus, ResponseItem } from '../../../endpoints/responses/response-schemas.ts';
import type { Emit } from './events.ts';

/** Where the item stands in its response, and who is told of it. */
export interface Place {
  readonly id: string;
  readonly outputIndex: number;
  readonly emit: Emit;
}

export interface OutputItem {
  /** As it is now. An item that has not ended is shown with this status. */
  show(unended: ItemStatus): ResponseItem;
  /** Nothing more is to come. A second call does nothing. */
  end(status: ItemStatus): void;
}
