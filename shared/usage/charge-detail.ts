/**
 * The details of a charge: enough to print its receipt. Travels from the proxy through the hold and the usage stream
 * into the ledger, as a JSON list in the order of `names`: it is copied about ten times on the way, and with the names
 * included it would be nearly four times as long. Amounts of money travel separately, as decimal strings.
 *
 * The list only grows at its end. A reader ignores members that it does not know; a member that was added later must
 * have a default, for lists that are shorter.
 */
import { type Static, Type } from '@sinclair/typebox';
import { TypeCompiler } from '@sinclair/typebox/compiler';

const tokens = Type.Integer({ minimum: 0, maximum: 2_147_483_647 });

const chargeDetailSchema = Type.Object({
  model: Type.String(),
  /** `provider/upstream-model`, or empty if none was chosen. */
  deployment: Type.String(),
  priceVersion: Type.Integer({ minimum: 0 }),
  promptTokens: tokens,
  /** Part of `promptTokens`. */
  cachedPromptTokens: tokens,
  /** Part of `promptTokens`, distinct from the cached ones. */
  cacheWriteTokens: tokens,
  completionTokens: tokens,
  /** Part of `completionTokens`. */
  reasoningTokens: tokens,
  /** True if the provider did not report the usage. */
  estimated: Type.Boolean(),
  startedAtMs: Type.Integer({ minimum: 0 }),
});

export type ChargeDetail = Static<typeof chargeDetailSchema>;

const names = [
  'model',
  'deployment',
  'priceVersion',
  'promptTokens',
  'cachedPromptTokens',
  'cacheWriteTokens',
  'completionTokens',
  'reasoningTokens',
  'estimated',
  'startedAtMs',
] as const satisfies readonly (keyof ChargeDetail)[];

const check = TypeCompiler.Compile(chargeDetailSchema);

export function encodeChargeDetail(detail: ChargeDetail): string {
  return JSON.stringify(names.map((name) => detail[name]));
}

/** Undefined if the text is not a charge detail. */
export function decodeChargeDetail(text: string): ChargeDetail | undefined {
  try {
    const values: unknown = JSON.parse(text);
    if (!Array.isArray(values) || values.length < names.length) return undefined;
    const detail: unknown = Object.fromEntries(names.map((name, index) => [name, values[index]]));
    return check.Check(detail) ? detail : undefined;
  } catch {
    return undefined;
  }
}
