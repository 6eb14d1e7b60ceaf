/** Reads a streamed message as a strict client does. */
import { expect } from 'bun:test';

export interface Event {
  readonly type: string;
  readonly index?: number;
  // Each test checks these itself.
  readonly content_block?: Record<string, unknown>;
  readonly delta?: Record<string, unknown>;
  readonly message?: unknown;
  readonly usage?: unknown;
  readonly error?: unknown;
}

export function readEvents(text: string): Event[] {
  return text
    .split('\n\n')
    .slice(0, -1)
    .map((event) => {
      const [, type, data = ''] = /^event: ([^\n]+)\ndata: ([^\n]+)$/.exec(event) ?? [];
      const value: Event = JSON.parse(data);
      expect(value.type).toBe(type ?? '');
      return value;
    });
}

/** Assembles the content as a client does; fails if a block is not opened, closed or numbered correctly. */
export function contentOf(events: readonly Event[]): Record<string, unknown>[] {
  const content: Record<string, unknown>[] = [];
  let open: Record<string, unknown> | undefined;
  for (const { type, index, content_block, delta } of events) {
    if (type === 'content_block_start') {
      expect(open).toBeUndefined();
      expect(index).toBe(content.length);
      open = { ...content_block, ...(content_block?.type === 'tool_use' ? { input: '' } : {}) };
    } else if (type === 'content_block_delta') {
      expect(index).toBe(content.length);
      if (open === undefined) throw new Error('a delta outside of a block');
      if (delta?.type === 'signature_delta') open.signature = delta.signature;
      else if (delta?.type === 'text_delta') open.text = `${open.text}${delta.text}`;
      else if (delta?.type === 'thinking_delta') open.thinking = `${open.thinking}${delta.thinking}`;
      else if (delta?.type === 'input_json_delta') open.input = `${open.input}${delta.partial_json}`;
      else throw new Error(`an unknown delta ${delta?.type}`);
    } else if (type === 'content_block_stop') {
      expect(index).toBe(content.length);
      if (open === undefined) throw new Error('a stop outside of a block');
      content.push(open);
      open = undefined;
    }
  }
  expect(open).toBeUndefined();
  return content;
}
