/** POST /v1/moderations: whether texts and pictures are harmful. */
import { checkValue } from '../../../shared/http/check-value.ts';
import type { ModerationCall } from '../../nouns/call.ts';
import { refuseUnpriced } from '../../nouns/requests/unpriced-parameters.ts';
import { checkMediaUrl } from '../chat-completions/content/provider-files.ts';
import { moderationRequestSchema } from './moderation-request.ts';

/** Throws GatewayError `missing_parameter`, `invalid_parameter` or `unsupported_parameter`. */
export function readModeration(value: object, text: string): ModerationCall {
  const body = checkValue(moderationRequestSchema, value);
  refuseUnpriced(body);
  const inputs = typeof body.input === 'string' ? [body.input] : body.input;
  const promptTexts: string[] = [];
  let pictures = 0;
  for (const [index, input] of inputs.entries()) {
    if (typeof input === 'string') promptTexts.push(input);
    else if (input.type === 'text') promptTexts.push(input.text);
    else {
      checkMediaUrl(input.image_url.url, `input[${index}].image_url.url`);
      pictures += 1;
    }
  }
  return {
    kind: 'moderation',
    model: body.model,
    stream: false,
    text,
    body,
    bytes: Buffer.byteLength(text),
    mediaParts: pictures,
    promptTexts,
    // Parts are judged together.
    prompts: typeof inputs[0] === 'string' ? inputs.length : 1,
  };
}
