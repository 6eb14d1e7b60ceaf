/** A thread that draws documents as PDF: each takes tens of milliseconds, and large ones take seconds. */
import { handleTasks } from '../../heavy-work/handle-tasks.ts';
import type { DocumentData } from '../document-data.ts';
import type { Look } from '../render/forms/signature-fields.ts';
import { renderDocument } from '../render/render-document.ts';

export interface Drawing {
  readonly data: DocumentData;
  readonly look: Look;
}

handleTasks(({ data, look }: Drawing) => renderDocument(data, look));
