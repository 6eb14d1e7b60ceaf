/**
 * POST /v1/files. The file goes from the socket through the encryption into the storage, and the client waits while the storage
 * does: no more of it than a few chunks is ever in memory. What comes behind it in the form is checked before it is kept.
 */
import { Type } from '@sinclair/typebox';
import { checkValue } from '../../../shared/http/check-value.ts';
import type { FilePassage } from '../../../shared/http/intake/bodies.ts';
import { bodyTooLarge } from '../../../shared/http/intake/bodies.ts';
import type { FileSink } from '../../../shared/http/intake/form.ts';
import { invalidParameter, missingParameter } from '../../../shared/http/parameter-errors.ts';
import { integer, oneOf } from '../../nouns/requests/fields.ts';
import { valueOfForm } from '../../nouns/requests/form-value.ts';
import type { Incoming } from '../../request/relay.ts';
import type { ProxyServices } from '../../request/services.ts';
import {
  fileLifeSeconds,
  fileMaxBytes,
  filenameMaxLength,
  newFileId,
  type OpenFile,
  type StoredFile,
} from '../../storage/files.ts';
import { enterStorage } from './enter-storage.ts';
import { renderFile } from './files.ts';

export const filesPath = '/v1/files';

/** Beside the file: boundaries, headers and fields. */
const formMoreBytes = 1024 * 1024;
export const uploadForm = { files: 1, fileMaxBytes, maxBytes: fileMaxBytes + formMoreBytes } as const;

const lifeMinSeconds = 3_600;

export const uploadSchema = Type.Object({
  purpose: oneOf(['batch'], 'What the file is for: `batch`, the requests of a batch.'),
  expires_after: Type.Optional(
    Type.Object(
      {
        anchor: oneOf(['created_at'], 'From when on: `created_at`, when the file was uploaded.'),
        seconds: integer(
          { minimum: lifeMinSeconds, maximum: fileLifeSeconds },
          'After how many seconds: from an hour to 30 days.',
        ),
      },
      { description: 'When the file is deleted. After 30 days by default.', expected: 'an object' },
    ),
  ),
});

/** Throws GatewayError as `enterStorage` does, and 400, 408, 413, 422 for the form. */
export function handleUpload(services: ProxyServices, incoming: Incoming): Promise<Response> {
  return enterStorage(services, incoming, async ({ files, accountId }) => {
    const { request } = incoming;
    const announced = Number(request.headers.get('content-length') ?? 0);
    if (announced > uploadForm.maxBytes) throw bodyTooLarge(uploadForm.maxBytes);
    await files.checkRoom(accountId, announced);
    const upload = new Upload(await files.create(accountId, newFileId()));
    let file: StoredFile;
    try {
      const fields = await services.bodies.passForm(request, uploadForm, upload);
      incoming.arrived();
      const { expires_after: life } = readFields(fields);
      // Others have been uploaded meanwhile, and a client need not announce a length.
      await files.checkRoom(accountId, upload.bytes);
      const createdAt = Math.floor(Date.now() / 1_000);
      const expiresAt = createdAt + (life?.seconds ?? fileLifeSeconds);
      file = await upload.keep({ createdAt, expiresAt });
    } catch (error) {
      await upload.drop();
      throw error;
    }
    await files.refuseExcess(file);
    return Response.json(renderFile(file));
  });
}

/** Throws GatewayError `missing_parameter` or `invalid_parameter`. */
function readFields(fields: readonly (readonly [string, string])[]) {
  const { purpose, ...others } = valueOfForm(
    { fields, files: [] },
    { fieldKinds: { 'expires_after[seconds]': 'number' } },
  );
  const life = { anchor: others['expires_after[anchor]'], seconds: others['expires_after[seconds]'] };
  const isLifeGiven = life.anchor !== undefined || life.seconds !== undefined;
  return checkValue(uploadSchema, {
    ...(purpose !== undefined && { purpose }),
    ...(isLifeGiven && { expires_after: JSON.parse(JSON.stringify(life)) }),
  });
}

class Upload implements FilePassage {
  readonly #file: OpenFile;
  readonly #arrived: Uint8Array[] = [];
  #filename: string | undefined;

  constructor(file: OpenFile) {
    this.#file = file;
  }

  get bytes(): number {
    return this.#file.bytes;
  }

  /** Throws GatewayError `invalid_parameter`. */
  open(field: string, filename: string): FileSink {
    if (field !== 'file') throw invalidParameter(field, 'no file: the file is in `file`');
    this.#filename = filename;
    return { append: (chunk) => void this.#arrived.push(chunk), end: () => {} };
  }

  async drained(): Promise<void> {
    for (let chunk = this.#arrived.shift(); chunk !== undefined; chunk = this.#arrived.shift()) {
      await this.#file.write(chunk);
    }
  }

  /** Throws GatewayError `missing_parameter` or `invalid_parameter`. */
  keep(times: { readonly createdAt: number; readonly expiresAt: number }) {
    if (this.#filename === undefined) throw missingParameter('file');
    if (this.#file.bytes === 0) throw invalidParameter('file', 'a file that is not empty');
    const filename = this.#filename.slice(-filenameMaxLength);
    return this.#file.keep({ purpose: 'batch', filename, ...times });
  }

  drop(): Promise<void> {
    return this.#file.drop();
  }
}
