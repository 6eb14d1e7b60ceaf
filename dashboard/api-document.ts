/** The OpenAPI document of admin's API, and the files of dashboard/generated that are made from it. */
import { join } from 'node:path';

const documentFile = join(import.meta.dir, '../test/admin/api/docs/openapi.snapshot.json');
const generated = join(import.meta.dir, 'generated');

export function readApiDocument(): Promise<string> {
  return Bun.file(documentFile).text();
}

/** Writes a file of dashboard/generated, unless it was made from the same source. */
export async function writeGenerated(name: string, source: string, make: () => Promise<string>): Promise<void> {
  const header = `/** Generated from the OpenAPI document ${Bun.hash(source).toString(36)}. */\n`;
  const file = Bun.file(join(generated, name));
  if ((await file.exists()) && (await file.slice(0, header.length).text()) === header) return;
  await Bun.write(file, `${header}${await make()}`);
}
