/** One part of a candidate's content, in our terms. */
import { type JsonObject, objectOf, textOf } from './json-value.ts';

export type Piece =
  | { readonly kind: 'text'; readonly text: string; readonly signature: string | undefined }
  | { readonly kind: 'thought'; readonly text: string }
  | { readonly kind: 'call'; readonly call: FunctionCall; readonly signature: string | undefined }
  | { readonly kind: 'image'; readonly url: string };

export interface FunctionCall {
  readonly id: string;
  readonly name: string;
  /** JSON text. */
  readonly arguments: string;
}

/** Undefined where the part holds nothing that a chat completion can show. */
export function pieceOf(part: JsonObject): Piece | undefined {
  const signature = textOf(part.thoughtSignature);
  const call = objectOf(part.functionCall);
  const name = textOf(call.name);
  if (name !== undefined) {
    const id = textOf(call.id) ?? `call_${crypto.randomUUID().replaceAll('-', '')}`;
    return { kind: 'call', call: { id, name, arguments: JSON.stringify(objectOf(call.args)) }, signature };
  }
  if (part.thought === true) return { kind: 'thought', text: textOf(part.text) ?? '' };
  const url = imageOf(objectOf(part.inlineData));
  if (url !== undefined) return { kind: 'image', url };
  const text = textOf(part.text) ?? codeOf(part) ?? '';
  return text === '' && signature === undefined ? undefined : { kind: 'text', text, signature };
}

/** What the provider's own interpreter ran, as markdown. */
function codeOf({ executableCode, codeExecutionResult }: JsonObject): string | undefined {
  const { code, language } = objectOf(executableCode);
  if (typeof code === 'string') return `\n\`\`\`${String(language ?? '').toLowerCase()}\n${code}\n\`\`\`\n`;
  const { output } = objectOf(codeExecutionResult);
  return typeof output === 'string' ? `\n\`\`\`\n${output}\n\`\`\`\n` : undefined;
}

function imageOf({ mimeType, data }: JsonObject): string | undefined {
  if (typeof mimeType !== 'string' || typeof data !== 'string' || !mimeType.startsWith('image/')) return undefined;
  return `data:${mimeType};base64,${data}`;
}
