/** /api/operator/bank-statements: operators upload statements, and book what has arrived. */
import { Elysia } from 'elysia';
import { GatewayError } from '../../../../shared/errors.ts';
import { checkValue } from '../../../../shared/http/check-value.ts';
import { authorized } from '../../../auth/authorize.ts';
import { checkQuery } from '../../../http/request/check-query.ts';
import { listOpenLines, matchLines } from '../../../payments/bank/bank-lines.ts';
import { bookLines } from '../../../payments/bank/book-line.ts';
import { takeStatement } from '../../../payments/bank/take-statement.ts';
import { deliverCredit } from '../../../payments/book-payment.ts';
import type { PaymentServices } from '../../../payments/payment-services.ts';
import type { AdminServices } from '../../../services.ts';
import { bookLinesDocs, listLinesDocs, uploadStatementDocs } from './bank-statement-docs.ts';
import {
  bookBody,
  linesMax,
  openLinesQuery,
  renderLine,
  renderOutcome,
  statementBody,
} from './bank-statement-schemas.ts';

export function bankStatementsRoute(services: AdminServices, payments: PaymentServices) {
  const { database } = services;
  return new Elysia({ prefix: '/api/operator/bank-statements' })
    .use(authorized(services))
    .post(
      '',
      async ({ body }) => {
        const lines = await takeStatement(payments, decodeFile(checkValue(statementBody, body).file));
        return { lines: lines.map(renderLine) };
      },
      uploadStatementDocs,
    )
    .get(
      '/lines',
      async ({ query }) => {
        const { limit = linesMax, offset = 0 } = checkQuery(openLinesQuery, query);
        const page = await listOpenLines(database.sql, { limit, offset });
        return { lines: (await matchLines(database, page.lines)).map(renderLine), total: page.total };
      },
      listLinesDocs,
    )
    .post(
      '/lines/book',
      async ({ actor, body }) => {
        const { lines } = checkValue(bookBody, body);
        const choices = lines.map(({ id, paymentId }) => ({ lineId: id, paymentId }));
        const outcomes = await bookLines(payments, actor, choices);
        for (const { accountId } of outcomes) if (accountId !== undefined) await deliverCredit(payments, accountId);
        return { lines: outcomes.map(renderOutcome) };
      },
      bookLinesDocs,
    );
}

/** Strictly, because `Buffer` skips what is not Base64. */
function decodeFile(file: string): Uint8Array {
  try {
    return Uint8Array.fromBase64(file);
  } catch (cause) {
    throw new GatewayError('invalid_parameter', "Invalid value for 'file': expected a file in Base64.", {
      param: 'file',
      cause,
    });
  }
}
