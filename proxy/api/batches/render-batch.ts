/** A batch as OpenAI's clients know it. What has not happened is null. */
import { type BatchState, isFinal, type StoredBatch } from '../../storage/batches.ts';

interface Progress {
  readonly state: BatchState;
  /** When it was asked to be cancelled. */
  readonly cancelledAt: number | undefined;
}

export function renderBatch(batch: StoredBatch, { state, cancelledAt }: Progress) {
  const ended = (status: BatchState['status']) => (state.status === status ? (state.endedAt ?? null) : null);
  const isCancelling = cancelledAt !== undefined && !isFinal(state);
  const isOver = isFinal(state);
  return {
    id: batch.id,
    object: 'batch',
    endpoint: batch.endpoint,
    errors: state.problems === undefined ? null : { object: 'list', data: state.problems },
    input_file_id: batch.inputFileId,
    completion_window: '24h',
    status: isCancelling ? 'cancelling' : state.status,
    output_file_id: (isOver && state.outputFileId) || null,
    error_file_id: (isOver && state.errorFileId) || null,
    created_at: batch.createdAt,
    in_progress_at: state.inProgressAt ?? null,
    expires_at: batch.expiresAt,
    finalizing_at: state.finalizingAt ?? null,
    completed_at: ended('completed'),
    failed_at: ended('failed'),
    expired_at: ended('expired'),
    cancelling_at: cancelledAt ?? null,
    cancelled_at: ended('cancelled'),
    request_counts: { total: state.total, completed: state.completed, failed: state.failed },
    metadata: batch.metadata,
  };
}
