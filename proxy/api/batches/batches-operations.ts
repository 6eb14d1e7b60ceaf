/** /v1/batches in the document. */
import { Type } from '@sinclair/typebox';
import { invalidParameter, missingParameter } from '../../../shared/http/parameter-errors.ts';
import { describeOperation } from '../../../shared/openapi/describe-operation.ts';
import { filesMax, tooManyFiles } from '../../storage/files.ts';
import { rateHeaders } from '../document/headers.ts';
import { always, count, orNull, text, words } from '../document/schema-parts.ts';
import {
  fileIdExample,
  pageFields,
  pageParameters,
  storageErrors,
  storageOperation,
} from '../files/files-operations.ts';
import { batchEndpoints, batchRequestSchema } from './batch-schemas.ts';
import { batchEnded, batchNotFound, tooManyBatches } from './batches.ts';

const idExample = 'batch_01940b5e7c1f7a3b9d2e5f60718293a5';
const statuses = [
  'validating',
  'failed',
  'in_progress',
  'finalizing',
  'completed',
  'expired',
  'cancelling',
  'cancelled',
] as const;

const timeOrNull = (event: string) =>
  orNull(Type.Integer(), `When ${event}, as a Unix time in seconds; null if that has not happened.`);
const fileOrNull = (what: string) =>
  orNull(Type.String(), `The id of the file with ${what}, once the batch has ended; null if there are none.`);

const problem = Type.Object({
  code: text('What is wrong, for programs.', 'duplicate_custom_id'),
  message: text('What is wrong, for people.'),
  line: orNull(
    Type.Integer({ minimum: 1 }),
    'The line of the input that is wrong, from 1; null if it is not one line.',
  ),
  param: orNull(Type.String(), 'The member of the line that is wrong; null if it is the whole line.'),
});

const batch = Type.Object(
  {
    id: text('The id of the batch.', idExample),
    object: always('batch'),
    endpoint: words(batchEndpoints, 'The endpoint that every request of the batch is for.'),
    errors: orNull(
      Type.Object({
        object: always('list'),
        data: Type.Array(problem, { description: 'Up to 100 problems of the input.' }),
      }),
      'Why the batch has failed as a whole; null if it has not.',
    ),
    input_file_id: text('The id of the file with the requests.', fileIdExample),
    completion_window: always('24h'),
    status: words(
      statuses,
      'Where the batch is. `failed` means that its input was wrong, and nothing was run; requests that failed are in the error file of a batch that is `completed`.',
    ),
    output_file_id: fileOrNull('the responses'),
    error_file_id: fileOrNull('the requests that failed'),
    created_at: Type.Integer({ description: 'When the batch was made, as a Unix time in seconds.' }),
    in_progress_at: timeOrNull('its first requests were run'),
    expires_at: Type.Integer({
      description: 'When requests fail that have no response yet, as a Unix time in seconds.',
    }),
    finalizing_at: timeOrNull('its files were begun'),
    completed_at: timeOrNull('it was completed'),
    failed_at: timeOrNull('it failed'),
    expired_at: timeOrNull('it expired'),
    cancelling_at: timeOrNull('it was asked to be cancelled'),
    cancelled_at: timeOrNull('it was cancelled'),
    request_counts: Type.Object(
      {
        total: count('All requests of the batch.'),
        completed: count('Those with a response; each was charged.'),
        failed: count('Those that failed; they are free.'),
      },
      { description: 'How far the batch is, at most about a second ago.' },
    ),
    metadata: orNull(Type.Record(Type.String(), Type.String()), 'What the client gave the batch; null if nothing.'),
  },
  { description: 'A batch of requests, and how far it is.' },
);

export const batchSchemas = {
  BatchRequest: { ...batchRequestSchema, description: 'What a batch is made of.' },
  Batch: batch,
  BatchList: Type.Object(pageFields('Batch', 'batches'), { description: 'A page of batches.' }),
};

const minimal = { input_file_id: fileIdExample, endpoint: '/v1/chat/completions', completion_window: '24h' };
const created = 1_893_456_000;
const none = {
  ...{ errors: null, output_file_id: null, error_file_id: null, in_progress_at: null, finalizing_at: null },
  ...{ completed_at: null, failed_at: null, expired_at: null, cancelling_at: null, cancelled_at: null },
};
const example = {
  ...none,
  ...{ id: idExample, object: 'batch', endpoint: '/v1/chat/completions', input_file_id: fileIdExample },
  ...{ completion_window: '24h', status: 'in_progress', created_at: created, expires_at: created + 86_400 },
  ...{ in_progress_at: created + 2, request_counts: { total: 1_000, completed: 120, failed: 1 }, metadata: null },
};

const idParameter = {
  in: 'path',
  name: 'id',
  required: true,
  description: 'The id of the batch to use.',
  schema: { type: 'string' },
  example: idExample,
};
const common = { ...storageOperation, tag: 'Batches' } as const;
const ofOne = { ...common, parameters: [idParameter] } as const;
const missing = batchNotFound(idExample);

export const batchPaths = {
  '/v1/batches': {
    post: describeOperation({
      ...common,
      id: 'createBatch',
      summary: 'Run many requests later',
      description:
        'Each line of the input is one request: `{"custom_id": "…", "method": "POST", "url": "/v1/chat/completions", "body": {…}}`, with ' +
        'the `custom_id` that its result will have, and the endpoint of the batch as its `url`. There may be up to 50,000. They are run ' +
        'when the gateway has time for them, within 24 hours, and count towards no rate limit. Each is charged like a request that ' +
        'is sent by itself; a request that fails is free.',
      body: { schema: 'BatchRequest', example: minimal },
      response: {
        description: 'The batch, which has not begun yet.',
        headers: rateHeaders,
        schema: 'Batch',
        example: {
          ...example,
          status: 'validating',
          in_progress_at: null,
          request_counts: { total: 0, completed: 0, failed: 0 },
        },
      },
      errors: [
        ...storageErrors,
        'invalid_json',
        missingParameter('input_file_id'),
        invalidParameter('completion_window', 'one of 24h'),
        'body_too_complex',
        'body_too_large',
        'request_timeout',
        'overloaded',
        tooManyBatches(),
        tooManyFiles(`${filesMax} files`),
      ],
    }),
    get: describeOperation({
      ...common,
      id: 'listBatches',
      summary: 'List batches',
      description: 'All batches of the organization of the last 30 days.',
      parameters: pageParameters({ max: 100, fallback: 20 }),
      response: {
        description: 'A page of the batches.',
        headers: rateHeaders,
        schema: 'BatchList',
        example: { object: 'list', data: [example], first_id: idExample, last_id: idExample, has_more: false },
      },
      errors: [...storageErrors, invalidParameter('limit', 'an integer from 1 to 100')],
    }),
  },
  '/v1/batches/{id}': {
    get: describeOperation({
      ...ofOne,
      id: 'getBatch',
      summary: 'Read how far a batch is',
      description: 'Ask every few seconds until it has ended. Its counts are at most about a second old.',
      response: { description: 'The batch, as it is now.', headers: rateHeaders, schema: 'Batch', example },
      errors: [...storageErrors, missing],
    }),
  },
  '/v1/batches/{id}/cancel': {
    post: describeOperation({
      ...ofOne,
      id: 'cancelBatch',
      summary: 'Cancel a batch',
      description:
        'Within about a second no further request is begun. Those that are running end, and are charged; the others fail with ' +
        '`batch_cancelled` and are free.',
      response: {
        description: 'The batch, which is about to be cancelled.',
        headers: rateHeaders,
        schema: 'Batch',
        example: { ...example, status: 'cancelling', cancelling_at: created + 60 },
      },
      errors: [...storageErrors, missing, batchEnded(idExample)],
    }),
  },
};
