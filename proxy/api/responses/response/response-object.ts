/** The response object around the output items: its id, its status, and the settings of the request. */
import type { FinishReason } from '../../../nouns/chat-completion.ts';
import type { RenderedCharge } from '../../../nouns/usage.ts';
import { renderResponseUsage } from '../../../pricing/render-usage.ts';
import type { ItemStatus, ResponseItem } from '../output-item-schemas.ts';
import type { Settings } from '../request/settings.ts';
import type { Response } from '../response-schemas.ts';
import { echoSettings } from './echo-settings.ts';

/** The request id as it is part of the ids of the response and its items. */
export const digitsOf = (requestId: string) => requestId.replaceAll('-', '');

/** The state of the response. */
export type Ending = Pick<Response, 'status' | 'error' | 'incomplete_details' | 'completed_at'>;

export const inProgress: Ending = { status: 'in_progress', error: null, incomplete_details: null, completed_at: null };

export function endingOf(finishReason: FinishReason): Ending {
  if (finishReason === 'length') return incomplete('max_output_tokens');
  if (finishReason === 'content_filter') return incomplete('content_filter');
  return { status: 'completed', error: null, incomplete_details: null, completed_at: Math.floor(Date.now() / 1000) };
}

export function failed(message: string): Ending {
  const error = { code: 'server_error' as const, message };
  return { status: 'failed', error, incomplete_details: null, completed_at: null };
}

/** The status of the response's last item. */
export function itemStatusOf({ status }: Ending): ItemStatus {
  return status === 'completed' ? 'completed' : 'incomplete';
}

/** JSON text. `charge` is missing until the request is charged. */
export function renderResponse(
  parts: { requestId: string; settings: Settings; ending: Ending; output: ResponseItem[] },
  charge?: RenderedCharge,
): string {
  const { settings, output } = parts;
  const response = { ...head(parts.requestId), ...parts.ending, ...echoSettings(settings), output } satisfies Omit<
    Response,
    'usage'
  >;
  return `${JSON.stringify(response).slice(0, -1)},"usage":${charge === undefined ? 'null' : renderResponseUsage(charge)}}`;
}

function incomplete(reason: 'max_output_tokens' | 'content_filter'): Ending {
  return { status: 'incomplete', error: null, incomplete_details: { reason }, completed_at: null };
}

function head(requestId: string) {
  const digits = digitsOf(requestId);
  return {
    id: `resp_${digits}`,
    object: 'response' as const,
    // RFC 9562 §5.7: a version 7 UUID begins with its Unix time in milliseconds.
    created_at: Math.floor(Number.parseInt(digits.slice(0, 12), 16) / 1000),
  };
}
