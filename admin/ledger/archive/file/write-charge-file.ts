/**
 * Writes the charges of a month as a Parquet file: by account, and those of an account by time, so that a reader opens only what
 * it is looking for. About 40 bytes a charge, of which 16 are its random request id.
 */
import { zstdCompressSync } from 'bun';
import { ByteWriter, ParquetWriter } from 'hyparquet-writer';
import type { Sql } from 'postgres';
import type { ObjectStore, ObjectWriter } from '../../../../shared/objects/object-store.ts';
import type { LedgerMonth } from '../../months.ts';
import type { StoredRow } from '../stored-row.ts';
import { chargeColumns, chargeSchema, columnSource, eventsColumn, selectedColumn } from './charge-columns.ts';

export interface WrittenFile {
  readonly bytes: number;
  readonly sha256: string;
}

interface Writing {
  readonly store: ObjectStore;
  readonly name: string;
  /** Called after each group of rows. */
  onGroup?(): void;
}

/** Read and decoded at once; fewer make the directory at the end of the file longer. */
const usualRowsInGroup = 20_000;
/** What is decoded for the sake of one row. */
const pageBytes = 4 * 1024;
const compressionLevel = 3;

/** The rows of each group, with the values of `selectedColumn`. */
export async function writeChargeFile(
  { store, name, onGroup = () => {} }: Writing,
  groups: AsyncIterable<readonly StoredRow[]>,
): Promise<WrittenFile> {
  const file = await store.create(name);
  try {
    const output = new HashedOutput(file);
    const parquet = new ParquetWriter({
      writer: output.bytes,
      schema: chargeSchema,
      codec: 'ZSTD',
      compressors: { ZSTD: (page) => zstdCompressSync(page, { level: compressionLevel }) },
      createdBy: 'model-gateway',
    });
    for await (const rows of groups) {
      const columnData = chargeColumns.map((column) => columnSource(column, rows));
      await parquet.write({ columnData, rowGroupSize: usualRowsInGroup, pageSize: pageBytes });
      await output.flush();
      onGroup();
    }
    await parquet.finish();
    await output.flush();
    await file.commit();
    return output.written();
  } catch (error) {
    await file.abort();
    throw error;
  }
}

/** The charges of a month, in the order of a file. An estimate and the charge that replaced it are the only events of one request. */
export function readSorted(
  sql: Sql,
  { events }: LedgerMonth,
  rowsInGroup = usualRowsInGroup,
): AsyncIterable<readonly StoredRow[]> {
  const columns = chargeColumns.filter(({ name }) => name !== eventsColumn).map(selectedColumn);
  return sql
    .unsafe<StoredRow[]>(
      `WITH replaced AS MATERIALIZED (
        SELECT request_id FROM "${events}" AS estimate JOIN "${events}" AS final USING (request_id)
        WHERE estimate.rank = 1 AND final.rank = 2
      )
      SELECT ${columns.join(', ')}, CASE WHEN request_id IN (SELECT request_id FROM replaced) THEN 2 ELSE 1 END AS ${eventsColumn}
      FROM "${events}" AS event
      ORDER BY event.account_id, event.charged_at, event.request_id, event.rank`,
    )
    .cursor(rowsInGroup);
}

class HashedOutput {
  readonly bytes = new ByteWriter();
  readonly #file: ObjectWriter;
  readonly #hash = new Bun.CryptoHasher('sha256');

  constructor(file: ObjectWriter) {
    this.#file = file;
  }

  /** What was written since the last call. */
  async flush(): Promise<void> {
    const chunk = this.bytes.getBytes();
    this.#hash.update(chunk);
    await this.#file.write(chunk);
    this.bytes.index = 0;
  }

  written(): WrittenFile {
    return { bytes: this.bytes.offset, sha256: this.#hash.digest('hex') };
  }
}
