/**
 * A request for a transcription, as a form that is made anew: nothing of how the client wrote its own form reaches the
 * provider, and the recording is sent from where it was received.
 */
import { unsupportedParameter } from '../../../../shared/http/parameter-errors.ts';
import type { TranscriptFormat, TranscriptionCall } from '../../../nouns/call.ts';
import { isRoutingParameter } from '../../../nouns/requests/routing.ts';
import type { Deployment } from '../../../pricing/catalogue.ts';
import type { PromptSize, UpstreamRequest, UpstreamTarget } from '../../adapter.ts';
import { providerTargetOf } from './provider-request.ts';

type Field = readonly [name: string, value: string];

/** Lists, with `[]` behind their names. */
const lists = ['timestamp_granularities', 'include'] as const;

/** Throws GatewayError `unsupported_parameter`. */
export function buildTranscriptionRequest(call: TranscriptionCall, target: UpstreamTarget): UpstreamRequest {
  const { deployment, outputCap } = target;
  const { url, wholeHeaders, streamHeaders } = providerTargetOf(
    target,
    call.translates ? 'translation' : 'transcription',
  );
  const { quirks } = deployment.provider;
  const fields: Field[] = [
    ['model', `${quirks.modelPrefix ?? ''}${deployment.model}`],
    ['response_format', formatOf(call.format, outputCap)],
    ...fieldsOf(call, deployment),
  ];
  const boundary = `----form-${crypto.randomUUID()}`;
  return {
    url,
    headers: {
      ...(call.stream ? streamHeaders : wholeHeaders),
      'content-type': `multipart/form-data; boundary=${boundary}`,
    },
    body: partsOf(fields, call, boundary),
  };
}

export function measureTranscriptionPrompt(call: TranscriptionCall, deployment: Deployment): PromptSize {
  fieldsOf(call, deployment);
  return { bytes: call.bytes, hasLongMedia: false };
}

/**
 * What is paid by the second is asked for in the form that says how long the recording is, and rendered as the client wants it;
 * of tokens only JSON has the counts. An output cap is only there for models that are paid by tokens.
 */
function formatOf(format: TranscriptFormat, outputCap: number): string {
  const isShort = format === 'json' || format === 'text';
  return outputCap > 0 && isShort ? 'json' : 'verbose_json';
}

function fieldsOf({ body, stream }: TranscriptionCall, { provider: { quirks } }: Deployment): Field[] {
  const fields: Field[] = stream ? [['stream', 'true']] : [];
  for (const [name, value] of Object.entries(body)) {
    if (ownFields.has(name) || value === null || isRoutingParameter(name)) continue;
    if (quirks.dropParameters?.includes(name)) continue;
    if (quirks.refuseParameters?.includes(name)) throw unsupportedParameter(name);
    if (lists.some((list) => list === name)) for (const item of value as string[]) fields.push([`${name}[]`, item]);
    else fields.push([name, typeof value === 'object' ? JSON.stringify(value) : String(value)]);
  }
  return fields;
}

/** Sent in another way. */
const ownFields: ReadonlySet<string> = new Set(['model', 'response_format', 'stream']);

function partsOf(fields: readonly Field[], { audio }: TranscriptionCall, boundary: string): readonly Uint8Array[] {
  const texts = fields.map(
    ([name, value]) => `--${boundary}\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  );
  const head =
    `${texts.join('')}--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="${audio.fileName}"\r\n` +
    'content-type: application/octet-stream\r\n\r\n';
  return [Buffer.from(head), audio.bytes, Buffer.from(`\r\n--${boundary}--\r\n`)];
}
