/** A request for a transcription. */
import type { TranscriptFormat, TranscriptionCall } from '../../../nouns/call.ts';
import type { Deployment } from '../../../pricing/catalogue.ts';
import type { PromptSize, UpstreamRequest, UpstreamTarget } from '../../adapter.ts';
import { type FormField, fieldsOf, formRequest, modelField } from './form-request.ts';
import { providerTargetOf } from './provider-request.ts';

const sentOtherwise: ReadonlySet<string> = new Set(['model', 'response_format', 'stream']);

/** Throws GatewayError `unsupported_parameter`. */
export function buildTranscriptionRequest(call: TranscriptionCall, target: UpstreamTarget): UpstreamRequest {
  const { deployment, outputCap } = target;
  const kind = call.translates ? 'translation' : 'transcription';
  const { url, wholeHeaders, streamHeaders } = providerTargetOf(target, kind);
  const fields: FormField[] = [
    modelField(deployment),
    ['response_format', formatOf(call.format, outputCap)],
    ...(call.stream ? [['stream', 'true'] as const] : []),
    ...fieldsOf(call.body, deployment, sentOtherwise),
  ];
  return formRequest(
    { url, headers: call.stream ? streamHeaders : wholeHeaders },
    { fields, files: [['file', call.audio]] },
  );
}

export function measureTranscriptionPrompt(call: TranscriptionCall, deployment: Deployment): PromptSize {
  fieldsOf(call.body, deployment, sentOtherwise);
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
