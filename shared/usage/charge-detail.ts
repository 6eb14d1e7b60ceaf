/**
 * What a charge is made of: enough to print its receipt. Travels from the proxy through the hold and the usage stream
 * into the ledger, as a JSON list in the order of `places`: it is copied some ten times on the way, and with the names in
 * it, it would be nearly four times as long. Amounts of money travel beside it, as decimal strings.
 *
 * The list only grows at its end. A reader ignores members that it does not know; one that was added later must have a
 * default, for lists that are shorter, and is not written where it and all that follow have their defaults.
 */
import { type Static, Type } from '@sinclair/typebox';
import { TypeCompiler } from '@sinclair/typebox/compiler';
import { readJson } from '../read-json.ts';
import { noUnits, perUnit } from './billable-units.ts';

const unitCount = Type.Integer({ minimum: 0, maximum: 2_147_483_647 });

const chargeDetailSchema = Type.Object({
  model: Type.String(),
  /** `provider/upstream-model`, or empty if none was chosen. */
  deployment: Type.String(),
  priceVersion: Type.Integer({ minimum: 0 }),
  ...perUnit(() => unitCount),
  /** True where the provider did not report the usage. */
  estimated: Type.Boolean(),
  startedAtMs: Type.Integer({ minimum: 0 }),
  /** Which of the model's prices applies: `formatVariant` for images, `formatRate` for tokens; empty for the usual ones. */
  variant: Type.String(),
  /** What the request says of each dimension that its organization asks for; null where it says nothing. */
  dimensions: Type.Union([Type.Null(), Type.Record(Type.String(), Type.String())]),
  /** The request whose stored response was given again, for nothing; empty for any other. */
  repeats: Type.String({ pattern: '^(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})?$' }),
});

export type ChargeDetail = Static<typeof chargeDetailSchema>;

/** Those of units are in their table. No place is ever given to something else. */
const places: Readonly<Record<keyof ChargeDetail, number>> = {
  model: 0,
  deployment: 1,
  priceVersion: 2,
  ...perUnit(({ detailAt }) => detailAt),
  estimated: 8,
  startedAtMs: 9,
  variant: 11,
  dimensions: 12,
  repeats: 21,
};

/** The first version wrote so many members, and reads no fewer. */
const leastLength = 10;
const laterDefaults: Partial<ChargeDetail> = { ...noUnits, variant: '', dimensions: null, repeats: '' };

const names = namesInOrder();
/** Copied, because that is faster than adding each member. */
const absent = Object.fromEntries(names.map((name) => [name, laterDefaults[name]]));
const check = TypeCompiler.Compile(chargeDetailSchema);

export function encodeChargeDetail(detail: ChargeDetail): string {
  const values: ChargeDetail[keyof ChargeDetail][] = [];
  let kept = 0;
  for (const name of names) {
    values.push(detail[name]);
    if (values.length <= leastLength || detail[name] !== laterDefaults[name]) kept = values.length;
  }
  values.length = kept;
  return JSON.stringify(values);
}

/** Undefined if the text is not a charge detail. */
export function decodeChargeDetail(text: string): ChargeDetail | undefined {
  return readChargeDetail(readJson(text));
}

/** The same for a list that has been parsed. */
export function readChargeDetail(values: unknown): ChargeDetail | undefined {
  if (!Array.isArray(values) || values.length < leastLength) return undefined;
  const detail: Record<string, unknown> = { ...absent };
  const written = Math.min(values.length, names.length);
  for (let index = 0; index < written; index += 1) detail[names[index] ?? ''] = values[index];
  return check.Check(detail) ? detail : undefined;
}

/** Throws where two members have one place, or a place has none. */
function namesInOrder(): readonly (keyof ChargeDetail)[] {
  const inOrder: (keyof ChargeDetail)[] = [];
  let name: keyof ChargeDetail;
  for (name in places) {
    if (inOrder[places[name]] !== undefined) throw new Error(`two members of a charge's detail are at ${places[name]}`);
    inOrder[places[name]] = name;
  }
  if (Object.keys(inOrder).length !== inOrder.length) throw new Error("a place in a charge's detail is empty");
  return inOrder;
}
