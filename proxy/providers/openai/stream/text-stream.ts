/** A streamed text completion of an OpenAI-compatible provider. */
import type { Call } from '../../../request/call.ts';
import { TextChoices } from '../answer/text-choices.ts';
import { OpenaiStream, type StreamOptions } from './openai-stream.ts';

export class TextStream extends OpenaiStream {
  constructor(call: Call, options: StreamOptions) {
    super({ ...options, object: 'text_completion', choices: new TextChoices(call) });
  }
}
