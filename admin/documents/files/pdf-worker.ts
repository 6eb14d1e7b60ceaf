/** A thread that draws documents as PDF: each takes tens of milliseconds, and large ones take seconds. */
import { answerTasks } from '../../heavy-work/answer-tasks.ts';
import type { DocumentData } from '../document-data.ts';
import type { Look } from '../render/forms/signature-fields.ts';
import { renderDocument } from '../render/render-document.ts';

export interface Drawing {
  readonly data: DocumentData;
  readonly look: Look;
}

answerTasks(({ data, look }: Drawing) => renderDocument(data, look));
