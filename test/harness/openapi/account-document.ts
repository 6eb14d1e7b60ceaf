/** The document of /api as it is committed, with everything written where it is used. */
import { join } from 'node:path';
import { type OpenApiDocument, withoutReferences } from './operations-of.ts';

const file = join(import.meta.dir, '../../admin/api/docs/openapi.snapshot.json');

export const accountDocument: OpenApiDocument = withoutReferences(await Bun.file(file).json());
