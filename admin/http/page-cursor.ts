/**
 * Where a page has ended, as a caller gives it back for the next one: opaque to him, and read as strictly as any other
 * parameter.
 */
import { GatewayError } from '../../shared/errors.ts';

export interface TimedPosition {
  readonly at: Date;
  /** Decides between rows of one moment. */
  readonly id: string;
}

const form = /^(\d{1,16})_([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;
/** The last moment that a Date can have: https://tc39.es/ecma262/#sec-time-values-and-time-range */
const timeMaxMs = 8.64e15;

export function encodeCursor({ at, id }: TimedPosition): string {
  return Buffer.from(`${at.getTime()}_${id}`).toString('base64url');
}

/** Throws GatewayError `invalid_parameter`. */
export function decodeCursor(cursor: string, param: string): TimedPosition {
  const [, time = '', id = ''] = form.exec(Buffer.from(cursor, 'base64url').toString()) ?? [];
  if (id === '' || Number(time) > timeMaxMs) {
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
