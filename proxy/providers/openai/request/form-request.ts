/**
 * Requests with files. The form is a new one: nothing of how the client wrote its own reaches the provider. The files are sent from
 * where they were received.
 */
import { unsupportedParameter } from '../../../../shared/http/parameter-errors.ts';
import type { UploadedFile } from '../../../nouns/call.ts';
import type { JsonRecord } from '../../../nouns/json/record.ts';
import { isRoutingParameter } from '../../../nouns/requests/routing.ts';
import type { Deployment } from '../../../pricing/catalogue.ts';
import type { UpstreamRequest } from '../../adapter.ts';

export type FormField = readonly [name: string, value: string];
export type FileField = readonly [name: string, file: UploadedFile];

interface Contents {
  readonly fields: readonly FormField[];
  readonly files: readonly FileField[];
}

export function formRequest(
  { url, headers }: Pick<UpstreamRequest, 'url' | 'headers'>,
  { fields, files }: Contents,
): UpstreamRequest {
  const boundary = `----form-${crypto.randomUUID()}`;
  const partOf = (name: string, more: string) =>
    `--${boundary}\r\ncontent-disposition: form-data; name="${name}"${more}\r\n\r\n`;
  const texts = fields.map(([name, value]) => `${partOf(name, '')}${value}\r\n`).join('');
  const parts = files.flatMap(([name, { fileName, mediaType, bytes }], index) => {
    const head = partOf(name, `; filename="${fileName}"\r\ncontent-type: ${mediaType}`);
    return [Buffer.from(`${index === 0 ? texts : ''}${head}`), bytes, Buffer.from('\r\n')];
  });
  return {
    url,
    headers: { ...headers, 'content-type': `multipart/form-data; boundary=${boundary}` },
    body: [...parts, Buffer.from(`--${boundary}--\r\n`)],
  };
}

export const modelField = ({ provider, model }: Deployment): FormField => [
  'model',
  `${provider.quirks.modelPrefix ?? ''}${model}`,
];

/** Those of the body that are sent as they are; lists have `[]` behind their names. Throws GatewayError `unsupported_parameter`. */
export function fieldsOf(
  body: JsonRecord,
  { provider: { quirks } }: Deployment,
  sentOtherwise: ReadonlySet<string>,
): FormField[] {
  const fields: FormField[] = [];
  for (const [name, value] of Object.entries(body)) {
    if (sentOtherwise.has(name) || value === null || isRoutingParameter(name)) continue;
    if (quirks.dropParameters?.includes(name)) continue;
    if (quirks.refuseParameters?.includes(name)) throw unsupportedParameter(name);
    if (Array.isArray(value)) for (const item of value) fields.push([`${name}[]`, String(item)]);
    else fields.push([name, typeof value === 'object' ? JSON.stringify(value) : String(value)]);
  }
  return fields;
}
