/** Recorded responses of OpenAI-compatible providers, with the framing of their streams put back. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ModelKind } from '../../../shared/catalogue/model-kinds.ts';

const folder = join(import.meta.dir, '../../../../shared/recordings');
const ours = /^(?:openai|azure|deepseek|groq|mistral|xai)-.*?\.(?<form>chunks\.txt|json)$/;

type RecordedKind = Extract<ModelKind, 'chat' | 'completion' | 'embedding'>;

export interface Recording {
  readonly name: string;
  readonly kind: RecordedKind;
  readonly streamed: boolean;
  /** The bytes on the wire. */
  readonly wire: string;
}

export const recordingsMissing = !existsSync(folder);
if (recordingsMissing) console.info(`skipped what needs ${folder}, which is missing`);

export const recordings: readonly Recording[] = recordingsMissing
  ? []
  : readdirSync(folder)
      .sort()
      .flatMap((name) => {
        const form = ours.exec(name)?.groups?.form;
        if (form === undefined) return [];
        const text = readFileSync(join(folder, name), 'utf8');
        const streamed = form === 'chunks.txt';
        return [{ name, kind: kindOf(name), streamed, wire: streamed ? framed(text) : text }];
      });

function kindOf(name: string): RecordedKind {
  if (name.includes('embedding')) return 'embedding';
  return name.includes('completion') ? 'completion' : 'chat';
}

function framed(lines: string): string {
  const chunks = lines.split('\n').filter((line) => line.trim() !== '');
  return [...chunks, '[DONE]'].map((data) => `data: ${data}\n\n`).join('');
}
