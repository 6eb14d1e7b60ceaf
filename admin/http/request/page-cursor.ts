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
  return positionOf(textOf(cursor), param);
}

function positionOf(text: string, param: string): TimedPosition {
  const [, time = '', id = ''] = form.exec(text) ?? [];
  if (id === '' || !isInRange(Number(time))) throw invalidCursor(param);
  return { at: new Date(Number(time)), id };
}

/** Of a request in a list of charges: 2 is its final one, 1 an estimate. */
export interface ChargePosition extends TimedPosition {
  readonly rank: number;
}

const finalRank = 2;

/** That of a final charge is as in versions that knew no others. */
export function encodeRequestCursor({ at, id, rank }: ChargePosition): string {
  const ofEstimate = rank === finalRank ? '' : `_${rank}`;
  return Buffer.from(`${at.getTime()}_${id}${ofEstimate}`).toString('base64url');
}

/** Throws GatewayError `invalid_parameter`. */
export function decodeRequestCursor(cursor: string, param: string): ChargePosition {
  const text = textOf(cursor);
  const [, rank] = /_(1)$/.exec(text) ?? [];
  const position = rank === undefined ? text : text.slice(0, -'_1'.length);
  return { ...positionOf(position, param), rank: Number(rank ?? finalRank) };
}

/** Of a line in the ledger. */
export interface LinePosition {
  readonly id: number;
  /** With microseconds, in UTC: `2030-01-01T09:00:00.123456Z`. */
  readonly exactTime: string;
}

const lineForm = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3})\d{3}Z_[1-9]\d{0,14}$/;

export function encodeLineCursor({ exactTime, id }: LinePosition): string {
  return Buffer.from(`${exactTime}_${id}`).toString('base64url');
}

/** Throws GatewayError `invalid_parameter`. */
export function decodeLineCursor(cursor: string, param: string): LinePosition {
  const text = textOf(cursor);
  const [, time = ''] = lineForm.exec(text) ?? [];
  const at = new Date(`${time}Z`);
  // A day that no month has would become one of the next month.
  const isReal = isInRange(at.getTime()) && at.toISOString() === `${time}Z`;
  if (!isReal) throw invalidCursor(param);
  const [exactTime = '', id = ''] = text.split('_');
  return { exactTime, id: Number(id) };
}

const idForm = /^id_([1-9]\d{0,14})$/;

export function encodeIdCursor(id: number): string {
  return Buffer.from(`id_${id}`).toString('base64url');
}

/** Throws GatewayError `invalid_parameter`. */
export function decodeIdCursor(cursor: string, param: string): number {
  const [, id] = idForm.exec(textOf(cursor)) ?? [];
  if (id === undefined) throw invalidCursor(param);
  return Number(id);
}

function textOf(cursor: string): string {
  return Buffer.from(cursor, 'base64url').toString();
}

function invalidCursor(param: string): GatewayError {
  const message = `Invalid value for '${param}': expected the \`nextCursor\` of a page.`;
  return new GatewayError('invalid_parameter', message, { param });
}
