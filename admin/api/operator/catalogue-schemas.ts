/** The catalogue as operators see and change it. */
import { Type } from '@sinclair/typebox';
import type { ListedKeys } from '../../../shared/config/provider-keys.ts';
import { GatewayError } from '../../../shared/errors.ts';
import type { CatalogueFile } from '../../catalogue/catalogue-file.ts';
import { readCatalogueFile } from '../../catalogue/read-catalogue-file.ts';
import { closedObject, label, timestamp } from '../fields/schemas.ts';

const catalogueMaxLength = 10_000_000;
const modelMaxLength = 128;

const yaml = Type.String({
  minLength: 1,
  maxLength: catalogueMaxLength,
  description: 'a catalogue file, as YAML or JSON text',
});

export const applyBody = closedObject({ catalogue: yaml });
export const scheduleBody = closedObject({
  catalogue: yaml,
  effectiveFrom: Type.String({ description: 'a moment in the future in ISO 8601 (UTC where it says no offset)' }),
});

export const historyQuery = Type.Object({ model: label(modelMaxLength) });

const scheduledFields = { id: Type.Integer(), effectiveFrom: timestamp, createdAt: timestamp };

export const scheduledSchema = Type.Object(scheduledFields);

export const catalogueSchema = Type.Object({
  version: Type.Integer(),
  createdAt: timestamp,
  catalogue: Type.String({ description: 'The file in force, as YAML.' }),
  scheduled: Type.Array(Type.Object({ ...scheduledFields, catalogue: Type.String() }), {
    description: 'What comes into force later, the next one first.',
  }),
});

export const appliedSchema = Type.Object({
  version: Type.Integer(),
  models: Type.Integer(),
  pricesChanged: Type.Integer(),
  modelsRemoved: Type.Array(Type.String(), {
    description: 'Models of the catalogue before it that are not in this one: customers can no longer ask them.',
  }),
});

const prices = Type.Object(
  {
    prompt: Type.String(),
    cachedPrompt: Type.String(),
    cacheWrite: Type.String(),
    completion: Type.String(),
    reasoning: Type.String(),
  },
  { description: 'USD per million tokens, decimals.' },
);

export const historySchema = Type.Object({
  model: Type.String(),
  prices: Type.Array(
    Type.Object({
      version: Type.Integer(),
      effectiveFrom: timestamp,
      markup: Type.String(),
      listed: prices,
      provider: prices,
    }),
  ),
});

/** Throws GatewayError `invalid_catalogue` with every mistake. */
export function parseCatalogue(text: string, listedKeys: ListedKeys): CatalogueFile {
  const reading = readCatalogueFile(text, listedKeys);
  if (reading.ok) return reading.file;
  const problems = reading.problems.map((message) => ({
    param: 'catalogue',
    code: 'invalid_catalogue' as const,
    message,
  }));
  throw new GatewayError('invalid_catalogue', `The catalogue is not usable: ${problems[0]?.message}.`, {
    param: 'catalogue',
    problems,
  });
}
