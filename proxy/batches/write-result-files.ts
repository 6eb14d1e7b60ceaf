/** The output and the errors of a batch, written from its log as files of its organization. */
import type { BatchState, StoredBatch } from '../storage/batches.ts';
import { type Files, newFileId, type OpenFile } from '../storage/files.ts';
import type { Result } from '../storage/result-log.ts';

type FileIds = Pick<BatchState, 'outputFileId' | 'errorFileId'>;

/**
 * Of this proxy alone: one that was frozen while it wrote files of its own can neither replace nor drop them. They are in the state
 * before they are written, so that the next proxy can remove them.
 */
export function newResultFiles({ finalizingAt }: BatchState) {
  return {
    finalizingAt: finalizingAt ?? Math.floor(Date.now() / 1_000),
    outputFileId: newFileId(),
    errorFileId: newFileId(),
  };
}

/** Those of a proxy that did not finish the batch. */
export async function removeResultFiles(
  files: Files,
  { accountId }: StoredBatch,
  { outputFileId, errorFileId }: BatchState,
): Promise<void> {
  for (const id of [outputFileId, errorFileId]) {
    const file = id === undefined ? undefined : await files.find(accountId, id);
    if (file !== undefined) await files.remove(file);
  }
}

interface Written {
  /** With the ids of both. */
  readonly state: BatchState;
  readonly results: AsyncIterable<Result>;
}

/** Resolves with the ids of those that have a line. */
export async function writeResultFiles(
  files: Files,
  batch: StoredBatch,
  { state, results }: Written,
): Promise<FileIds> {
  const { outputFileId = '', errorFileId = '', finalizingAt = 0 } = state;
  const opened: OpenFile[] = [];
  const open = async (id: string) => {
    const file = await files.create(batch.accountId, id);
    opened.push(file);
    return file;
  };
  try {
    const [output, errors] = [await open(outputFileId), await open(errorFileId)];
    for await (const { isAnswered, text } of results)
      await (isAnswered ? output : errors).write(Buffer.from(`${text}\n`));
    const times = { createdAt: finalizingAt, expiresAt: finalizingAt + batch.outputLifeSeconds };
    const keep = async (file: OpenFile, name: string) => {
      if (file.bytes === 0) await file.drop();
      else await file.keep({ purpose: 'batch_output', filename: `${batch.id}_${name}.jsonl`, ...times });
    };
    await keep(output, 'output');
    await keep(errors, 'error');
    return {
      ...(output.bytes > 0 && { outputFileId }),
      ...(errors.bytes > 0 && { errorFileId }),
    };
  } catch (error) {
    await Promise.all(opened.map((file) => file.drop()));
    throw error;
  }
}
