/** The body of POST /v1/batches. */
import { type Static, Type } from '@sinclair/typebox';
import { integer, oneOf, optional, string } from '../../nouns/requests/fields.ts';
import { fileLifeSeconds } from '../../storage/files.ts';

export const batchesPath = '/v1/batches';

/** Those of the inference endpoints whose responses are JSON, and need no form. */
export const batchEndpoints = [
  '/v1/chat/completions',
  '/v1/completions',
  '/v1/embeddings',
  '/v1/responses',
  '/v1/moderations',
] as const;

export const windowSeconds = 24 * 60 * 60;
const outputLifeMinSeconds = 3_600;
const metadataMax = 16;
const metadataNameMaxLength = 64;
const metadataMaxLength = 512;

export const batchRequestSchema = Type.Object({
  input_file_id: string('The id of the uploaded file with the requests, one a line.'),
  endpoint: oneOf(batchEndpoints, 'The endpoint of all requests of the batch.'),
  completion_window: oneOf(
    ['24h'],
    'Within what time the requests are executed: `24h`. What is not executed then fails, and is free.',
  ),
  metadata: optional(
    Type.Record(
      Type.String({ minLength: 1, maxLength: metadataNameMaxLength }),
      Type.String({ maxLength: metadataMaxLength }),
      {
        maxProperties: metadataMax,
        description: 'Up to 16 names of up to 64 characters with texts of up to 512, which are kept with the batch.',
        expected: `an object of at most ${metadataMax} texts of at most ${metadataMaxLength} characters`,
      },
    ),
  ),
  output_expires_after: optional(
    Type.Object(
      {
        anchor: oneOf(['created_at'], 'From when on: `created_at`, when the files were made.'),
        seconds: integer(
          { minimum: outputLifeMinSeconds, maximum: fileLifeSeconds },
          'After how many seconds: from an hour to 30 days.',
        ),
      },
      {
        description: 'When the files with the output and the errors are deleted. After 30 days by default.',
        expected: 'an object',
      },
    ),
  ),
});

export type BatchBody = Static<typeof batchRequestSchema>;
