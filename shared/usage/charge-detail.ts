/**
 * What a charge is made of: enough to print its receipt. Travels as JSON from the proxy through the hold and the usage
 * stream into the ledger; amounts of money travel beside it, as decimal strings.
 */
import { type Static, Type } from '@sinclair/typebox';
import { TypeCompiler } from '@sinclair/typebox/compiler';

const tokens = Type.Integer({ minimum: 0, maximum: 2_147_483_647 });

const chargeDetailSchema = Type.Object({
  model: Type.String(),
  /** `provider/upstream-model`, or empty where none was chosen. */
  deployment: Type.String(),
  priceVersion: Type.Integer({ minimum: 0 }),
  promptTokens: tokens,
  /** Part of `promptTokens`. */
  cachedPromptTokens: tokens,
  /** Part of `promptTokens`, and none of the cached ones. */
  cacheWriteTokens: tokens,
  completionTokens: tokens,
  /** Part of `completionTokens`. */
  reasoningTokens: tokens,
  /** True where the provider did not report the usage. */
  estimated: Type.Boolean(),
  startedAtMs: Type.Integer({ minimum: 0 }),
});

export type ChargeDetail = Static<typeof chargeDetailSchema>;

const check = TypeCompiler.Compile(chargeDetailSchema);

export function encodeChargeDetail(detail: ChargeDetail): string {
  return JSON.stringify(detail);
}

/** Undefined where the text is no charge detail. */
export function decodeChargeDetail(text: string): ChargeDetail | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return check.Check(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
