/** A thread that draws documents as PDF, one at a time: each takes tens of milliseconds, and large ones take seconds. */
import { setPriority } from 'node:os';
import type { DocumentData } from '../document-data.ts';
import type { Look } from '../render/forms/signature-fields.ts';
import { renderDocument } from '../render/render-document.ts';

declare const self: Worker;

export interface Drawing {
  readonly data: DocumentData;
  readonly look: Look;
}

export type Drawn = { readonly bytes: Uint8Array } | { readonly failure: unknown };

/** Below the thread that serves, where both need the same core. Elsewhere it would be of the whole process. */
if (process.platform === 'linux') setPriority(10);

self.onmessage = async ({ data: { data, look } }: MessageEvent<Drawing>) => {
  self.postMessage(await draw(data, look));
};

async function draw(data: DocumentData, look: Look): Promise<Drawn> {
  try {
    return { bytes: await renderDocument(data, look) };
  } catch (failure) {
    return { failure };
  }
}
