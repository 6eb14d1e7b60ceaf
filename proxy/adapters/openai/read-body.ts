/** A whole chat completion of an OpenAI-compatible provider. */
import { patchObject } from '../../json/patch-object.ts';
import { renderUsage } from '../../metering/render-usage.ts';
import { readUsage } from '../../metering/usage.ts';
import { UpstreamFailure } from '../../upstream/upstream-failure.ts';
import type { UpstreamBody } from '../adapter.ts';
import { type CompletionObject, readCompletionObject } from './completion-object.ts';

export function readChatBody(text: string): UpstreamBody {
  const answer = readCompletionObject(text);
  if (answer.choices === undefined) throw new UpstreamFailure('malformed', 'The provider answered without choices.');
  return {
    usage: readUsage(answer.usage),
    outputTexts: outputTextsOf(answer),
    render: (charge) => patchObject(text, { usage: renderUsage(charge) }),
  };
}

function outputTextsOf({ choices = [] }: CompletionObject): string[] {
  return choices.flatMap(({ message }) => [
    message?.content ?? '',
    message?.reasoning_content ?? '',
    ...(message?.tool_calls ?? []).map((call) => call.function?.arguments ?? ''),
  ]);
}
