/** The archive for `gateway doctor`: whether the files of the months that have left Postgres are there. */
import type { Sql } from 'postgres';
import { ConfigurationError } from '../../../../../shared/config/environment.ts';
import { counted } from '../../../../../shared/counted.ts';
import { isStorageFailure } from '../../../../../shared/objects/object-store.ts';
import { openStore } from '../../../../../shared/objects/open-store.ts';
import { loadCommandConfig } from '../../../../config/admin.ts';
import type { Finding } from './finding.ts';

const check = 'archive';
const advice =
  'Set ARCHIVE_DIR or ARCHIVE_S3_URL to where `gateway archive` has written them, and restore what is missing.';

export async function checkArchive(sql: Sql): Promise<Finding[]> {
  const files = await sql<{ file: string; bytes: string }[]>`
    SELECT file, file_bytes AS bytes FROM archived_months WHERE file IS NOT NULL AND finished_at IS NOT NULL ORDER BY month`;
  if (files.length === 0) return [];
  try {
    const { archivePlace } = loadCommandConfig(['archivePlace']);
    const months = `${counted(files.length, 'month')} of charges`;
    if (archivePlace === undefined)
      return [{ check, status: 'fail', detail: `${months} archived, but no place is set`, advice }];
    const store = openStore(archivePlace);
    for (const { file, bytes } of files) {
      const found = await store.size(file);
      if (found === Number(bytes)) continue;
      const detail = found === undefined ? `${file} is missing` : `${file} has ${found} bytes instead of ${bytes}`;
      return [{ check, status: 'fail', detail, advice }];
    }
    return [{ check, status: 'ok', detail: `${months}, all there` }];
  } catch (error) {
    // The configuration check reports what is wrong with the variable.
    if (error instanceof ConfigurationError) return [];
    if (!isStorageFailure(error)) throw error;
    return [{ check, status: 'fail', detail: `cannot be read: ${(error as Error).message}`, advice }];
  }
}
