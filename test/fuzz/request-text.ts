/**
 * A request in a form that can be sent again: as `curl`, with keys as shell variables, or as base64. Long values are
 * truncated; `--only` sends all of it.
 */
import type { Drawn } from './draw.ts';
import type { FuzzRequest } from './requests/fuzz-request.ts';

const textMax = 600;

export function requestText(drawn: Drawn): string {
  if (drawn.form === 'request') return curlOf(drawn.request);
  const base64 = Buffer.concat(drawn.bytes.chunks).toString('base64');
  const sent = `base64 -d | nc $HOST $PORT  # of ${drawn.program}, in ${drawn.bytes.chunks.length} pieces`;
  return `${drawn.bytes.kind}: echo ${shortened(base64)} | ${sent}`;
}

function curlOf({ program, method, target, headers, body }: FuzzRequest): string {
  return [
    `curl -X ${method} "$${program.toUpperCase()}"${quoted(shortened(target))}`,
    ...headers.map(([name, value]) => `-H ${quoted(shortened(`${name}: ${value}`))}`),
    ...(body === undefined ? [] : [`--data-binary ${quoted(shortened(body.text))}`]),
    ...(body === undefined || body.encoding === 'utf-8' ? [] : [`# in ${body.encoding}`]),
  ].join(' ');
}

function shortened(text: string): string {
  return text.length <= textMax ? text : `${text.slice(0, textMax)}… (${text.length} characters)`;
}

/** Quoted for a shell; names such as `{{proxyKey}}` become shell variables. */
function quoted(text: string): string {
  const escaped = text.replaceAll("'", `'\\''`);
  return `'${escaped.replaceAll(/\{\{(\w+)\}\}/g, `'"$$$1"'`)}'`;
}
