/** A whole response, passed on with the model's name in the catalogue, the request's `metadata`, and the cost. */
import type { Call } from '../../../nouns/call.ts';
import { patchObject } from '../../../nouns/json/patch-object.ts';
import { asArray } from '../../../nouns/json/record.ts';
import { UpstreamFailure } from '../../../nouns/upstream-failure.ts';
import { renderResponseUsage } from '../../../pricing/render-usage.ts';
import type { UpstreamBody } from '../../adapter.ts';
import { readResponseObject, reportedFailure } from '../../openai/response/read-response-object.ts';
import { echoOf } from './echo.ts';
import { isWebSearch, readResponseUsage, textsOfItem } from './response-usage.ts';

/** Throws UpstreamFailure. */
export function readResponse(text: string, call: Call): UpstreamBody {
  const response = readResponseObject(text);
  if (response.status === 'failed') throw reportedFailure(response.error);
  if (response.object !== 'response' || !Array.isArray(response.output)) {
    throw new UpstreamFailure('malformed', 'The provider returned something other than a response.');
  }
  const { model, metadata } = echoOf(call);
  return {
    usage: readResponseUsage(response),
    outputTexts: asArray(response.output).flatMap(textsOfItem),
    webSearches: asArray(response.output).filter(isWebSearch).length,
    isTranslated: true,
    render: (charge) =>
      patchObject(text, {
        model: JSON.stringify(model),
        metadata: JSON.stringify(metadata),
        usage: renderResponseUsage(charge),
      }),
  };
}
