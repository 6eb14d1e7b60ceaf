/** Bank statements: what is uploaded, which transfers are open, and how they are booked. */
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { type ApiResponse, api, call } from '../../../app/api/api.ts';

export type BankLine = ApiResponse<'/api/operator/bank-statements/lines'>['lines'][number];
export type Candidate = BankLine['candidates'][number];

export const pageLines = 50;

export const openLinesQuery = (offset = 0) =>
  queryOptions({
    queryKey: ['operator-bank-lines', offset],
    queryFn: () =>
      call(api.GET('/api/operator/bank-statements/lines', { params: { query: { limit: pageLines, offset } } })),
    placeholderData: keepPreviousData,
  });

export async function uploadStatement(file: File) {
  const body = { file: await base64Of(file) };
  return await call(api.POST('/api/operator/bank-statements', { body }));
}

export interface Choice {
  readonly id: number;
  /** Not for a line that is certain. */
  readonly paymentId?: string;
}

/** Each is booked or refused on its own. */
export const bookLines = (lines: Choice[]) =>
  call(api.POST('/api/operator/bank-statements/lines/book', { body: { lines } }));

function base64Of(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    // `data:text/plain;base64,…`
    reader.onload = () => resolve(String(reader.result).replace(/^[^,]*,/, ''));
    reader.onerror = () => reject(reader.error ?? new Error('the file cannot be read'));
    reader.readAsDataURL(file);
  });
}
