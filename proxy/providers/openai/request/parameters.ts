/** Renames, drops or refuses parameters as a provider's quirks say. */
import type { Quirks } from '../../../../shared/catalogue/published-catalogue.ts';
import { unsupportedParameter } from '../../../../shared/http/parameter-errors.ts';
import type { JsonPatch } from '../../../nouns/json/patch-object.ts';
import { asRecord, type JsonRecord } from '../../../nouns/json/record.ts';
import { effortOfBudget } from '../../content-blocks/thinking.ts';

/** Undefined if the quirks change none. Throws GatewayError `unsupported_parameter`. */
export function parameterPatch(body: JsonRecord, quirks: Quirks): JsonPatch | undefined {
  const { refuseParameters, seedParameter, reasoningParameter, dropParameters } = quirks;
  if (refuseParameters !== undefined) refuse(body, refuseParameters);
  if (seedParameter === undefined && reasoningParameter === undefined && dropParameters === undefined) return undefined;
  return {
    ...renamedSeed(body, quirks),
    ...reasoningPatch(body, quirks),
    ...Object.fromEntries((dropParameters ?? []).map((name) => [name, undefined])),
  };
}

function refuse(body: JsonRecord, names: readonly string[]): void {
  for (const name of names) {
    if ((body[name] ?? null) === null) continue;
    throw unsupportedParameter(name);
  }
}

function renamedSeed({ seed }: JsonRecord, { seedParameter }: Quirks): JsonPatch {
  if (seedParameter === undefined || seed === undefined) return {};
  return { seed: undefined, [seedParameter]: JSON.stringify(seed) };
}

/** Clients send `reasoning_effort: "low"`, `reasoning: {"effort": "low"}`, or a budget: `reasoning: {"max_tokens": 2048}`. */
function reasoningPatch(body: JsonRecord, { reasoningParameter }: Quirks): JsonPatch {
  const { reasoning, reasoning_effort: ownEffort } = body;
  if (reasoningParameter === undefined || (reasoning === undefined && ownEffort === undefined)) return {};
  const { effort: namedEffort, max_tokens: budget } = asRecord(reasoning);
  const effort = ownEffort ?? namedEffort;
  const asObject = JSON.stringify({ ...asRecord(reasoning), effort });
  const asParameter = effort ?? (typeof budget === 'number' ? effortOfBudget(budget) : undefined);
  return {
    reasoning: reasoningParameter === 'reasoning' ? asObject : undefined,
    reasoning_effort: reasoningParameter === 'reasoning_effort' ? JSON.stringify(asParameter) : undefined,
  };
}
