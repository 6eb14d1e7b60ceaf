/**
 * Puts a catalogue in force: keeps the file as a new version, and every price that differs from the one before as a
 * new price version. Applying the same file again makes no new prices.
 */
import type { TransactionSql } from 'postgres';
import { type PicoUsdPerToken, parseMarkup, parsePricePerMillion, withMarkup } from '../../shared/money.ts';
import type { Database } from '../database/connect.ts';
import type { CatalogueFile, CatalogueFileModel } from './catalogue-file.ts';

/** Held while a catalogue is applied, so that two at once come one after the other. */
const applyLock = 7_201_003;
const defaultMarkup = '1';

export interface AppliedCatalogue {
  readonly version: number;
  readonly models: number;
  readonly pricesChanged: number;
}

export function applyCatalogue(database: Database, file: CatalogueFile): Promise<AppliedCatalogue> {
  return database.sql.begin(async (transaction) => {
    await transaction`SELECT pg_advisory_xact_lock(${applyLock})`;
    const [row] = await transaction<{ version: string }[]>`
      INSERT INTO catalogue_versions (file) VALUES (${JSON.stringify(file)}::text::json) RETURNING version`;
    let pricesChanged = 0;
    for (const model of file.models) {
      if (await insertPrice(transaction, model, file.markup ?? defaultMarkup)) pricesChanged += 1;
    }
    return { version: Number(row?.version), models: file.models.length, pricesChanged };
  });
}

async function insertPrice(
  transaction: TransactionSql,
  model: CatalogueFileModel,
  fileMarkup: string,
): Promise<boolean> {
  const markup = parseMarkup(model.markup ?? fileMarkup);
  const provider = {
    prompt: parsePricePerMillion(model.price.prompt),
    cachedPrompt: parsePricePerMillion(model.price.cachedPrompt ?? model.price.prompt),
    completion: parsePricePerMillion(model.price.completion ?? '0'),
  };
  const text = (price: PicoUsdPerToken) => String(price);
  const listed = (price: PicoUsdPerToken) => text(withMarkup(price, markup));
  const inserted = await transaction`
    WITH new AS (
      SELECT ${model.id} AS model, ${String(markup)}::bigint AS markup,
        ${text(provider.prompt)}::bigint AS provider_prompt_pico,
        ${text(provider.cachedPrompt)}::bigint AS provider_cached_prompt_pico,
        ${text(provider.completion)}::bigint AS provider_completion_pico,
        ${listed(provider.prompt)}::bigint AS prompt_pico,
        ${listed(provider.cachedPrompt)}::bigint AS cached_prompt_pico,
        ${listed(provider.completion)}::bigint AS completion_pico
    ), present AS (
      SELECT model, markup, provider_prompt_pico, provider_cached_prompt_pico, provider_completion_pico,
        prompt_pico, cached_prompt_pico, completion_pico
      FROM model_prices WHERE model = ${model.id} ORDER BY version DESC LIMIT 1
    )
    INSERT INTO model_prices (model, markup, provider_prompt_pico, provider_cached_prompt_pico,
      provider_completion_pico, prompt_pico, cached_prompt_pico, completion_pico)
    SELECT * FROM (SELECT * FROM new EXCEPT SELECT * FROM present) AS changed`;
  return inserted.count > 0;
}
