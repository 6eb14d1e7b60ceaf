/** A streamed chat completion of an OpenAI-compatible provider. */
import { ChatChoices } from './chat-choices.ts';
import { OpenaiStream, type StreamOptions } from './openai-stream.ts';

export class ChatStream extends OpenaiStream {
  constructor(options: StreamOptions) {
    super({ ...options, object: 'chat.completion.chunk', choices: new ChatChoices() });
  }
}
