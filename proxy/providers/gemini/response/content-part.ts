/** One part of a candidate's content, in the gateway's terms. */
import { asRecord, asText, type JsonRecord } from '../../../nouns/json/record.ts';

export type ContentPart =
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

/** Undefined if the part has nothing that a chat completion can show. */
export function contentPartOf(part: JsonRecord): ContentPart | undefined {
  const signature = asText(part.thoughtSignature);
  const call = asRecord(part.functionCall);
  const name = asText(call.name);
  if (name !== undefined) {
    const id = asText(call.id) ?? `call_${crypto.randomUUID().replaceAll('-', '')}`;
    return { kind: 'call', call: { id, name, arguments: JSON.stringify(asRecord(call.args)) }, signature };
  }
  if (part.thought === true) return { kind: 'thought', text: asText(part.text) ?? '' };
  const url = imageOf(asRecord(part.inlineData));
  if (url !== undefined) return { kind: 'image', url };
  const text = asText(part.text) ?? codeOf(part) ?? '';
  return text === '' && signature === undefined ? undefined : { kind: 'text', text, signature };
}

/** Code that the provider's interpreter ran, as Markdown. */
function codeOf({ executableCode, codeExecutionResult }: JsonRecord): string | undefined {
  const { code, language } = asRecord(executableCode);
  if (typeof code === 'string') return `\n\`\`\`${(asText(language) ?? '').toLowerCase()}\n${code}\n\`\`\`\n`;
  const { output } = asRecord(codeExecutionResult);
  return typeof output === 'string' ? `\n\`\`\`\n${output}\n\`\`\`\n` : undefined;
}

function imageOf({ mimeType, data }: JsonRecord): string | undefined {
  if (typeof mimeType !== 'string' || typeof data !== 'string' || !mimeType.startsWith('image/')) return undefined;
  return `data:${mimeType};base64,${data}`;
}
