/**
 * The format of the catalogue file; `expected` completes error messages. Prices are decimal strings, because YAML
 * numbers would be parsed as floats.
 */
import { type Static, type TOptional, type TSchema, type TString, Type } from '@sinclair/typebox';
import { inputModalities } from '../../shared/catalogue/modalities.ts';
import { modelKinds } from '../../shared/catalogue/model-kinds.ts';
import {
  authSchema,
  awsSchema,
  onDisconnectChoices,
  protocols,
  quirksSchema,
  timeoutsSchema,
  tokenRatio,
  tokenRatios,
  tokenScripts,
  variableName,
} from '../../shared/catalogue/published-catalogue.ts';
import { type EachPrice, eachUnits, perTokenPrice, type TokenPrice } from '../../shared/usage/billable-units.ts';

/** Where neither the file nor the model names one. */
export const defaultMarkup = '1';

const closed = { additionalProperties: false };
const identifier = Type.String({ pattern: '^[A-Za-z0-9][A-Za-z0-9._:@/-]{0,127}$', expected: 'an identifier' });
const price = Type.String({
  pattern: '^\\d{1,9}(\\.\\d{1,6})?$',
  expected: 'USD per 1M tokens as a quoted decimal with at most 6 decimals, such as "0.15"',
});
const priceEach = (of: string) =>
  Type.String({
    pattern: '^\\d{1,6}(\\.\\d{1,9})?$',
    expected: `USD per ${of} as a quoted decimal with at most 9 decimals, such as "0.042"`,
  });
const markup = Type.String({
  pattern: '^\\d{1,4}(\\.\\d{1,6})?$',
  expected: 'a quoted decimal factor, such as "1.20"',
});
/** Of the price; more than nothing. */
const batchShare = Type.String({
  pattern: '^0\\.(?=\\d*[1-9])\\d{1,6}$',
  expected: 'the share of the price that lines of batches cost, quoted, such as "0.5"',
});
const oneOf = <Choice extends string>(choices: readonly Choice[]) =>
  Type.Union(
    choices.map((choice) => Type.Literal(choice)),
    { expected: `one of ${choices.join(', ')}` },
  );
const wholeNumber = (minimum: number) => Type.Integer({ minimum, expected: `a whole number of at least ${minimum}` });
const list = <Schema extends TSchema>(item: Schema) =>
  Type.Array(item, { minItems: 1, expected: 'a list of at least one' });

const imagePrice = Type.Object(
  {
    size: Type.String({
      pattern: '^(default|[1-9][0-9]{1,4}x[1-9][0-9]{1,4})$',
      expected: 'a size such as 1024x1024, or default for all others',
    }),
    quality: Type.String({
      pattern: '^[a-z0-9_-]{1,32}$',
      expected: 'a quality such as high, or default for all others',
    }),
    priceUsd: priceEach('image'),
  },
  closed,
);

const tokenPrices = perTokenPrice(() => Type.Optional(price));
const pricesEach = Object.fromEntries(
  eachUnits.map(({ price: name }) => [name, Type.Optional(priceEach(name))]),
  // TypeScript does not derive the names of members that are computed.
) as { [Price in EachPrice]: TOptional<TString> };
/** For prompts of more tokens than `above`. */
const step = Type.Object({ above: wholeNumber(1), ...tokenPrices }, closed);
/** For requests with this `service_tier`. */
const tier = Type.Object({ ...tokenPrices, steps: Type.Optional(list(step)) }, closed);

/** What customers may demand of a deployment; that of its provider where it says nothing. Nothing is assumed. */
const dataFacts = {
  country: Type.Optional(
    Type.String({ pattern: '^[A-Z]{2}$', expected: 'the ISO 3166-1 code of a country, such as DE' }),
  ),
  retentionDays: Type.Optional(Type.Integer({ minimum: 0, expected: 'days, 0 if requests are not stored' })),
  trains: Type.Optional(Type.Boolean({ expected: 'true or false' })),
};

const provider = Type.Object(
  {
    id: identifier,
    /** By which customers name it. Several providers may share one. */
    publicName: Type.Optional(
      Type.String({
        pattern: '^[a-z0-9][a-z0-9._-]{0,63}$',
        expected: 'a name in lower case for customers, such as azure',
      }),
    ),
    ...dataFacts,
    protocol: oneOf(protocols),
    baseUrl: Type.String({ pattern: '^https?://', expected: 'an address that begins with http:// or https://' }),
    apiKeyEnv: Type.Optional(variableName),
    auth: Type.Optional(authSchema),
    aws: Type.Optional(awsSchema),
    caFile: Type.Optional(Type.String({ pattern: '^/', expected: "the absolute path of a PEM file of the proxy's" })),
    quirks: Type.Optional(quirksSchema),
    timeouts: Type.Optional(timeoutsSchema),
  },
  closed,
);

const deployment = Type.Object(
  {
    provider: identifier,
    model: Type.String({ minLength: 1, expected: "the model's name at the provider" }),
    priority: Type.Optional(wholeNumber(0)),
    weight: Type.Optional(wholeNumber(1)),
    ...dataFacts,
    onDisconnect: Type.Optional(oneOf(onDisconnectChoices)),
    batches: Type.Optional(Type.Boolean({ expected: 'true or false' })),
    tokenRatio: Type.Optional(
      Type.Union([tokenRatio, tokenRatios], {
        expected: `a quoted decimal from "0.2" to "4.999", or one for each of ${tokenScripts.join(', ')}`,
      }),
    ),
  },
  closed,
);

const model = Type.Object(
  {
    id: identifier,
    kind: oneOf(modelKinds),
    ownedBy: Type.String({ pattern: '^[a-z0-9._-]+$', expected: 'a provider name in lower case' }),
    contextTokens: wholeNumber(1),
    maxOutputTokens: Type.Optional(wholeNumber(0)),
    dimensions: Type.Optional(wholeNumber(1)),
    /** What a chat takes, as GET /v1/models lists it; text alone where it says nothing. */
    inputModalities: Type.Optional(list(oneOf(inputModalities))),
    price: Type.Object(
      {
        ...tokenPrices,
        ...pricesEach,
        steps: Type.Optional(list(step)),
        tiers: Type.Optional(Type.Object({ flex: Type.Optional(tier), priority: Type.Optional(tier) }, closed)),
        images: Type.Optional(list(imagePrice)),
      },
      closed,
    ),
    markup: Type.Optional(markup),
    batchDiscount: Type.Optional(batchShare),
    /** The day from which it is no longer served. Customers who use it hear of it 30 and 7 days before. */
    retiresAt: Type.Optional(
      Type.String({
        pattern: '^\\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\\d|3[01])$',
        expected: 'a quoted day such as "2030-06-30"',
      }),
    ),
    deployments: list(deployment),
  },
  closed,
);

export const catalogueFileSchema = Type.Object(
  { markup: Type.Optional(markup), providers: list(provider), models: list(model) },
  closed,
);

export type CatalogueFile = Static<typeof catalogueFileSchema>;
export type CatalogueFileModel = CatalogueFile['models'][number];
export type FileImagePrice = Static<typeof imagePrice>;
export type FileStep = Static<typeof step>;
/** USD per million tokens; what is not named follows other prices. */
export type FilePrices = { readonly [Price in TokenPrice]?: string };
