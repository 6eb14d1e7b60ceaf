/** /v1/files in the document. */
import { Type } from '@sinclair/typebox';
import type { ErrorCode } from '../../../shared/errors.ts';
import { invalidParameter, missingParameter } from '../../../shared/http/parameter-errors.ts';
import { describeOperation } from '../../../shared/openapi/describe-operation.ts';
import { fileNotFound, filePurposes, filesMax, tooManyFiles } from '../../storage/files.ts';
import { inferenceErrorForm } from '../document/error-codes.ts';
import { rateHeaders } from '../document/headers.ts';
import { always, count, orNull, ref, text, words } from '../document/schema-parts.ts';
import { proxyKey } from '../document/security.ts';
import { filesUnavailable, storageUnavailable } from './enter-storage.ts';
import { fileInUse } from './files.ts';
import { uploadSchema } from './upload.ts';

export const fileIdExample = 'file-01940b5e7c1f7a3b9d2e5f60718293a4';

const purpose = words(filePurposes, 'What the file is for: the requests of a batch, or what a batch has made of them.');

const file = Type.Object(
  {
    id: text('The id of the file.', fileIdExample),
    object: always('file'),
    bytes: count('The size of the file.'),
    created_at: Type.Integer({ description: 'When the file was made, as a Unix time in seconds.' }),
    expires_at: Type.Integer({ description: 'When the file is deleted, as a Unix time in seconds.' }),
    filename: text('The name that the file was uploaded with, or that the gateway gave it.', 'requests.jsonl'),
    purpose,
    status: always('processed'),
    status_details: Type.Null({ description: 'Always null: requests are checked when a batch begins.' }),
  },
  { description: 'A file of the organization. It is encrypted at rest.' },
);

/** Of a list, whose items are a component of the document. */
export const pageFields = (item: string, what: string) => ({
  object: always('list'),
  data: Type.Array(ref(item), { description: `The ${what} of this page.` }),
  first_id: orNull(Type.String(), `The id of the first of the ${what}; null if there are none.`),
  last_id: orNull(Type.String(), `The id of the last of the ${what}, for \`after\`; null if there are none.`),
  has_more: Type.Boolean({ description: `Whether there are more ${what} after this page.` }),
});

export const fileSchemas = {
  File: file,
  FileUpload: Type.Object(
    {
      file: Type.Unsafe({
        type: 'string',
        format: 'binary',
        description:
          'The requests: JSONL in UTF-8, of at most 200 MiB. The format of a line is described at `POST /v1/batches`.',
      }),
      ...uploadSchema.properties,
    },
    { description: 'The form that uploads a file.' },
  ),
  FileList: Type.Object(pageFields('File', 'files'), { description: 'A page of files.' }),
  DeletedFile: Type.Object(
    {
      id: text('The id of the file that was deleted.', fileIdExample),
      object: always('file'),
      deleted: Type.Literal(true, { description: 'Always true: a file that cannot be deleted is an error.' }),
    },
    { description: 'The confirmation that a file was deleted.' },
  ),
};

/** Of requests for files and batches. */
export const storageErrors = [
  ...([
    'missing_api_key',
    'invalid_api_key',
    'wrong_key_type',
    'key_expired',
    'key_deactivated',
    'email_not_verified',
    'project_archived',
    'address_not_allowed',
    'rate_limit_exceeded',
    'internal_error',
    'wallet_unavailable',
  ] satisfies readonly ErrorCode[]),
  filesUnavailable(),
  storageUnavailable(),
] as const;

export const storageOperation = { security: proxyKey, errorForm: inferenceErrorForm } as const;

export const pageParameters = ({ max, fallback }: { readonly max: number; readonly fallback: number }) => [
  {
    in: 'query',
    name: 'after',
    required: false,
    description: 'The last id of the page before: the list continues after it.',
    schema: { type: 'string' },
  },
  {
    in: 'query',
    name: 'limit',
    required: false,
    description: `How many there are in a page; ${fallback} by default.`,
    schema: { type: 'integer', minimum: 1, maximum: max },
    example: fallback,
  },
  {
    in: 'query',
    name: 'order',
    required: false,
    description: 'By the time of creation: `desc`, the newest first, or `asc`.',
    schema: { type: 'string', enum: ['asc', 'desc'] },
    example: 'desc',
  },
];

const idParameter = {
  in: 'path',
  name: 'id',
  required: true,
  description: 'The id of the file to use.',
  schema: { type: 'string' },
  example: fileIdExample,
};

const example = {
  id: fileIdExample,
  object: 'file',
  bytes: 1_024,
  created_at: 1_893_456_000,
  expires_at: 1_896_048_000,
  filename: 'requests.jsonl',
  purpose: 'batch',
  status: 'processed',
  status_details: null,
};

const common = { ...storageOperation, tag: 'Files' } as const;
const ofOne = { ...common, parameters: [idParameter] } as const;
const missing = fileNotFound(fileIdExample);

export const filePaths = {
  '/v1/files': {
    post: describeOperation({
      ...common,
      id: 'uploadFile',
      summary: 'Upload the requests of a batch',
      description:
        'Free, but counts towards the limit of requests per minute. The file belongs to the organization of the key, is encrypted at ' +
        'rest, and is deleted after 30 days.',
      body: {
        mediaType: 'multipart/form-data',
        schema: 'FileUpload',
        example: { purpose: 'batch', file: 'requests.jsonl' },
      },
      response: { description: 'The file.', headers: rateHeaders, schema: 'File', example },
      errors: [
        ...storageErrors,
        'invalid_form',
        missingParameter('file'),
        invalidParameter('purpose', 'one of batch'),
        'body_too_large',
        'request_timeout',
        'overloaded',
        tooManyFiles(`${filesMax} files`),
      ],
    }),
    get: describeOperation({
      ...common,
      id: 'listFiles',
      summary: 'List files',
      description: 'All files of the organization: those that were uploaded, and what batches have made.',
      parameters: [
        ...pageParameters({ max: filesMax, fallback: 100 }),
        {
          in: 'query',
          name: 'purpose',
          required: false,
          description: 'Only files that are for this.',
          schema: { type: 'string', enum: filePurposes },
        },
      ],
      response: {
        description: 'A page of the files.',
        headers: rateHeaders,
        schema: 'FileList',
        example: { object: 'list', data: [example], first_id: fileIdExample, last_id: fileIdExample, has_more: false },
      },
      errors: [...storageErrors, invalidParameter('limit', `an integer from 1 to ${filesMax}`)],
    }),
  },
  '/v1/files/{id}': {
    get: describeOperation({
      ...ofOne,
      id: 'getFile',
      summary: 'Read what a file is',
      description: 'Its name, size and purpose, and when it is deleted.',
      response: { description: 'The file, without its content.', headers: rateHeaders, schema: 'File', example },
      errors: [...storageErrors, missing],
    }),
    delete: describeOperation({
      ...ofOne,
      id: 'deleteFile',
      summary: 'Delete a file',
      description: 'At once and for good. The input of a batch can be deleted once the batch has ended.',
      response: {
        description: 'The file was deleted.',
        headers: rateHeaders,
        schema: 'DeletedFile',
        example: { id: fileIdExample, object: 'file', deleted: true },
      },
      errors: [...storageErrors, missing, fileInUse(fileIdExample, 'batch_01940b5e7c1f7a3b9d2e5f60718293a5')],
    }),
  },
  '/v1/files/{id}/content': {
    get: describeOperation({
      ...ofOne,
      id: 'getFileContent',
      summary: 'Read the content of a file',
      description: 'Streamed, as it was uploaded or made. If the storage fails in the middle, the connection breaks.',
      response: {
        description: 'The content, as it is.',
        headers: rateHeaders,
        mediaType: 'application/octet-stream',
        schema: { type: 'string', format: 'binary', description: 'The bytes of the file.' },
        example: '{"custom_id":"first","method":"POST","url":"/v1/chat/completions","body":{"model":"demo/chat"}}\n',
      },
      errors: [...storageErrors, missing],
    }),
  },
};
