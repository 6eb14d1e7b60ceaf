/** A whole response, passed on with the model's name in the catalogue, and with the cost. */
import { renderResponseUsage } from '../../../metering/render-usage.ts';
import { patchObject } from '../../../json/patch-object.ts';
import { asArray } from '../../../json/record.ts';
import type { Call } from '../../../request/call.ts';
import { UpstreamFailure } from '../../../upstream/upstream-failure.ts';
import type { UpstreamBody } from '../../adapter.ts';
import { readAnswerObject, reportedFailure } from '../../openai/answer/answer-object.ts';
import { readResponseUsage, textsOfItem } from './response-usage.ts';

/** Throws UpstreamFailure. */
export function readResponse(text: string, { model }: Call): UpstreamBody {
  const response = readAnswerObject(text);
  if (response.status === 'failed') throw reportedFailure(response.error);
  if (response.object !== 'response' || !Array.isArray(response.output)) {
    throw new UpstreamFailure('malformed', 'The provider returned something other than a response.');
  }
  return {
    usage: readResponseUsage(response.usage),
    outputTexts: asArray(response.output).flatMap(textsOfItem),
    isTranslated: true,
    render: (charge) => patchObject(text, { model: JSON.stringify(model), usage: renderResponseUsage(charge) }),
  };
}
