/**
 * Puts a catalogue in force: keeps the file as a new version, and every price that differs from the one before as a
 * new price version. Applying the same file again makes no new prices.
 */
import type { TransactionSql } from 'postgres';
import { parseMarkup, parsePricePerMillion, withMarkup } from '../../shared/money.ts';
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
  const { price } = model;
  const own = (text: string | undefined) => (text === undefined ? undefined : parsePricePerMillion(text));
  const provider = {
    prompt: parsePricePerMillion(price.prompt),
    cached_prompt: parsePricePerMillion(price.cachedPrompt ?? price.prompt),
    completion: parsePricePerMillion(price.completion ?? '0'),
    cache_write: own(price.cacheWrite),
    reasoning: own(price.reasoning),
  };
  const row: Record<string, string | null> = { model: model.id, markup: String(markup) };
  for (const [name, providerPrice] of Object.entries(provider)) {
    row[`provider_${name}_pico`] = providerPrice === undefined ? null : String(providerPrice);
    row[`${name}_pico`] = providerPrice === undefined ? null : String(withMarkup(providerPrice, markup));
  }
  const columns = transaction(Object.keys(row));
  const inserted = await transaction`
    INSERT INTO model_prices (${columns})
    SELECT ${columns} FROM jsonb_populate_record(NULL::model_prices, ${JSON.stringify(row)}::text::jsonb)
    EXCEPT (SELECT ${columns} FROM model_prices WHERE model = ${model.id} ORDER BY version DESC LIMIT 1)`;
  return inserted.count > 0;
}
