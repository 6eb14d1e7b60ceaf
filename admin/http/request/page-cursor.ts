/**
 * The end of a page, which the client sends back to get the next one: opaque to the client, and validated like any
 * other parameter.
 */
import { GatewayError } from '../../../shared/errors.ts';
import { isInRange } from './parse-instant.ts';

export interface TimedPosition {
  readonly at: Date;
  /** Breaks ties between rows of the same time. */
  readonly id: string;
}

const form = /^(\d{1,16})_([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

export function encodeCursor({ at, id }: TimedPosition): string {
  return Buffer.from(`${at.getTime()}_${id}`).toString('base64url');
}

/** Throws GatewayError `invalid_parameter`. */
export function decodeCursor(cursor: string, param: string): TimedPosition {
  const [, time = '', id = ''] = form.exec(Buffer.from(cursor, 'base64url').toString()) ?? [];
  if (id === '' || !isInRange(Number(time))) {
    throw new GatewayError(
      'invalid_parameter',
      `Invalid value for '${param}': expected the \`nextCursor\` of a page.`,
      {
        param,
      },
    );
  }
  return { at: new Date(Number(time)), id };
}
